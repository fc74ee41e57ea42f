import Foundation
import KettleControl
import KettleModel
import KettleRPC
import TestSupport
import Testing

@testable import KettleCommands

/// The manifests of the host, and the extension that they name.
struct HostManifestTests {
  private func ofExtension(_ name: String) throws -> Data {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    let path = here.appending(path: "../../../assets/webextension/\(name)").standardizedFileURL
    return try Data(contentsOf: path)
  }

  @Test func `Firefox gets its manifest`() {
    #expect(
      HostManifest(browser: .firefox, programPath: "/usr/libexec/kettle/kettle-native-host").text
        == "{\"name\": \"org.example.kettle\", "
        + "\"description\": \"Hands downloads of the browser over to Kettle\", "
        + "\"path\": \"/usr/libexec/kettle/kettle-native-host\", \"type\": \"stdio\", "
        + "\"allowed_extensions\": [\"kettle@example.org\"]}\n")
  }

  @Test(arguments: [Browser.chromium, .chrome])
  func `the others get one with an origin`(browser: Browser) throws {
    let text = HostManifest(browser: browser, programPath: "/home/a \"b\"/host").text
    let object = try #require(try JSONReader.value(Array(text.utf8)).object)
    #expect(
      object["allowed_origins"]
        == .list([.text("chrome-extension://\(HostManifest.chromiumID)/")]))
    #expect(object["allowed_extensions"] == nil)
    #expect(HostManifest.programPath(in: Array(text.utf8)) == "/home/a \"b\"/host")
  }

  @Test func `the id of Chromium is that of the extension's key`() throws {
    let manifest = try #require(
      try JSONReader.value(Array(try ofExtension("manifest.json"))).object)
    let key = try #require(manifest["key"]?.text.flatMap { Data(base64Encoded: $0) })
    let digest = try #require(TestDigest.hex(of: Array(key), .sha256))
    let letters = Array("abcdefghijklmnop")
    let id = digest.prefix(32).compactMap { $0.hexDigitValue.map { letters[$0] } }
    #expect(String(id) == HostManifest.chromiumID)
    #expect(manifest["version"] == .text(ProductVersion.text))
    let gecko = manifest["browser_specific_settings"]?.object?["gecko"]?.object
    #expect(gecko?["id"] == .text(HostManifest.firefoxID))
  }

  @Test func `the extension calls the host by its name`() throws {
    let script = String(decoding: try ofExtension("kettle.js"), as: UTF8.self)
    #expect(script.contains("const hostName = \"\(HostManifest.name)\";"))
  }
}
