import Foundation
import KettleRPC
import Testing

/// What the stores of extensions require. The rules are those of their documentation:
/// developer.chrome.com/docs/webstore and extensionworkshop.com/documentation/publish.
struct StoreRulesTests {
  private static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "../../..").standardizedFileURL

  private let manifest: [String: RPCValue]
  private let listing: [String: RPCValue]
  /// The texts of the extension by the names of their files.
  private let files: [String: String]

  init() throws {
    let folder = Self.root.appending(path: "assets/webextension")
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      guard name.contains(".") else { continue }
      files[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    self.files = files
    func object(_ data: Data) throws -> [String: RPCValue] {
      try #require(try JSONReader.value(Array(data)).object)
    }
    manifest = try object(Data(try #require(files["manifest.json"]).utf8))
    listing = try object(Data(contentsOf: folder.appending(path: "store/listing.json")))
  }

  private func texts(_ value: RPCValue?) -> [String] { value?.list?.compactMap(\.text) ?? [] }

  private var gecko: [String: RPCValue]? {
    manifest["browser_specific_settings"]?.object?["gecko"]?.object
  }

  private var scripts: [String: String] { files.filter { $0.key.hasSuffix(".js") } }

  // MARK: The manifest

  @Test func `the manifest has what both stores require`() throws {
    #expect(manifest["manifest_version"] == .integer(3))
    let name = try #require(manifest["name"]?.text)
    // Firefox's store takes 50 characters, Chromium's 75, Edge's 45.
    #expect((1...45).contains(name.count) && !name.contains("Firefox") && !name.contains("Chrome"))
    let description = try #require(manifest["description"]?.text)
    #expect((1...132).contains(description.count))
    // One to four numbers without leading zeros, each at most 65,535.
    let parts = try #require(manifest["version"]?.text).split(
      separator: ".", omittingEmptySubsequences: false)
    #expect((1...4).contains(parts.count))
    #expect(parts.allSatisfy { part in UInt16(part).map { "\($0)" == part } ?? false })
    #expect(manifest["update_url"] == nil)
    #expect(manifest["homepage_url"]?.text?.hasPrefix("https://") == true)
  }

  @Test func `Firefox knows the extension, and asks the user about what it passes on`() throws {
    let id = try #require(gecko?["id"]?.text)
    #expect(id.count <= 80 && id.wholeMatch(of: /[A-Za-z0-9._-]+@[A-Za-z0-9._-]+/) != nil)
    // Before 140, Firefox does not ask by itself, and the extension would have to.
    let version = try #require(gecko?["strict_min_version"]?.text)
    #expect(try #require(Double(version)) >= 140)
    #expect(gecko?["strict_max_version"] == nil)
    let data = try #require(gecko?["data_collection_permissions"]?.object)
    let passed = texts(data["required"])
    // A program on the same machine counts as a recipient, so "none" would be wrong.
    let known = [
      "authenticationInfo", "bookmarksInfo", "browsingActivity", "financialAndPaymentInfo",
      "healthInfo", "locationInfo", "personalCommunications", "personallyIdentifyingInfo",
      "searchTerms", "websiteActivity", "websiteContent",
    ]
    #expect(!passed.isEmpty && passed.allSatisfy(known.contains))
    let explained = try #require(listing["dataCollection"]?.object)
    #expect(Set(explained.keys) == Set(passed))
  }

  @Test func `the icons have the sizes of their names`() throws {
    let icons = try #require(manifest["icons"]?.object)
    #expect(Set(icons.keys).isSuperset(of: ["16", "48", "128"]))
    let action = manifest["action"]?.object?["default_icon"]?.object ?? [:]
    for (size, path) in Array(icons) + Array(action) {
      let side = try #require(Int(size))
      #expect(try Self.pngSize("assets/webextension/" + (path.text ?? "")) == [side, side])
    }
  }

  // MARK: Permissions and code

  @Test func `each permission is used, and each function of the browser is permitted`() throws {
    let permissions = Set(texts(manifest["permissions"]))
    var used: Set<String> = []
    for text in scripts.values {
      used.formUnion(text.matches(of: /\bbrowser\.(\w+)\./).map { String($0.1) })
      if text.contains("NativeMessage(") || text.contains("connectNative(") {
        used.insert("nativeMessaging")
      }
    }
    // These need none, or what the host permissions give.
    let free: Set = ["action", "permissions", "runtime", "tabs"]
    #expect(used.subtracting(free) == permissions)
    #expect(Set(texts(manifest["host_permissions"])) == ["http://*/*", "https://*/*"])
    for key in ["optional_permissions", "content_scripts", "web_accessible_resources"] {
      #expect(manifest[key] == nil, "\(key)")
    }
  }

  @Test func `each permission is justified in the store and in the documentation`() throws {
    let reasons = try #require(listing["permissions"]?.object)
    #expect(Set(reasons.keys) == Set(texts(manifest["permissions"])))
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/browser.md"), encoding: .utf8)
    let justified = try #require(page.components(separatedBy: "## Why these permissions").last)
    for (name, reason) in reasons {
      let text = try #require(reason.text)
      #expect((20...1000).contains(text.count), "\(name)")
      #expect(justified.contains("`\(name)`"), "\(name)")
    }
    for name in ["hostPermissions", "remoteCode", "singlePurpose", "dataRecipient"] {
      let text = try #require(listing[name]?.text)
      #expect((20...1000).contains(text.count), "\(name)")
    }
  }

  @Test func `no code comes from elsewhere or from a text`() throws {
    for (name, text) in scripts {
      for word in [
        "eval(", "new Function", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
        "importScripts", "fetch(", "XMLHttpRequest", "WebSocket",
      ] {
        #expect(!text.contains(word), "\(name): \(word)")
      }
      for found in text.matches(of: /from "([^"]*)"/) {
        #expect(files[String(found.1.dropFirst(2))] != nil, "\(name): \(found.1)")
      }
      for found in text.matches(of: /\bimport\(/) { Issue.record("\(name): \(found.0)") }
    }
    for (name, text) in files where name.hasSuffix(".html") {
      for found in text.matches(of: /<(?:script|link|img)[^>]*?(?:src|href)="([^"]*)"/) {
        #expect(files[String(found.1)] != nil, "\(name): \(found.1)")
      }
      #expect(text.matches(of: /<script(?![^>]*\bsrc=)/).isEmpty, "\(name)")
      #expect(text.matches(of: /\son\w+=|<style|style=/).isEmpty, "\(name)")
    }
    for (name, text) in files where name.hasSuffix(".css") {
      #expect(!text.contains("url(") && !text.contains("@import"), "\(name)")
    }
    let policy = try #require(
      manifest["content_security_policy"]?.object?["extension_pages"]?.text)
    let parts = policy.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(parts.contains("default-src 'none'"))
    #expect(parts.contains("script-src 'self'"))
    #expect(!policy.contains("unsafe") && !policy.contains("http"))
  }

  // MARK: The page in the store

  @Test func `the texts fit into the forms of the stores`() throws {
    #expect(listing["name"] == manifest["name"])
    // Firefox's summary has at most 250 characters, Chromium's is the manifest's description.
    #expect(listing["summary"] == manifest["description"])
    let description = texts(listing["description"]).joined(separator: "\n\n")
    #expect((250...16_000).contains(description.count))
    let path = try #require(listing["privacyPolicy"]?.text)
    let policy = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    // What is passed on is in the policy.
    for word in ["cookies", "URL", "`Referer`", "`User-Agent`", "page", "private window"] {
      #expect(policy.contains(word), "\(word)")
    }
  }

  @Test func `the images have the sizes that Chromium's store takes`() throws {
    let images = try #require(listing["images"]?.object)
    let names = texts(images["screenshots"])
    // Firefox's store takes these sizes too.
    #expect((1...5).contains(names.count))
    let folder = "assets/webextension/store/"
    for name in names {
      let size = try Self.pngSize(folder + name)
      #expect(size == [1280, 800] || size == [640, 400], "\(name)")
    }
    #expect(try Self.pngSize(folder + (images["tile"]?.text ?? "")) == [440, 280])
  }

  /// Returns width and height from the head of a PNG (RFC 2083, section 4.1.1).
  private static func pngSize(_ path: String) throws -> [Int] {
    let data = Array(try Data(contentsOf: root.appending(path: path)))
    try #require(data.count > 24 && data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    func number(_ start: Int) -> Int {
      data[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    return [number(16), number(20)]
  }
}
