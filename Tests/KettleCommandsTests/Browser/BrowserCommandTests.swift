import Foundation
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
final class BrowserCommandTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func run(
    _ words: String..., environment: [String: String] = [:]
  ) async -> FakeContext.CommandResult {
    var context = FakeContext()
    context.environment = ["HOME": home.path].merging(environment) { $1 }
    let result = await context.run(["browser"] + words)
    #expect(context.service.asked == [])
    return result
  }

  private func make(_ directory: String) throws {
    try FileManager.default.createDirectory(
      atPath: home.path + "/" + directory, withIntermediateDirectories: true)
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: home.path + "/" + path)
  }

  private static let firefox = ".mozilla/native-messaging-hosts/org.example.kettle.json"
  private static let chromium =
    ".config/chromium/NativeMessagingHosts/org.example.kettle.json"
  private static let chrome =
    ".config/google-chrome/NativeMessagingHosts/org.example.kettle.json"
  private static let link = ".local/share/kettle/kettle-native-host"

  @Test func `the browsers that were used get a manifest that names this program`() async throws {
    try make(".mozilla/firefox")
    try make(".config/chromium")
    let result = await run("install")
    #expect(result.code == 0, "\(result.error)")
    #expect(exists(Self.firefox) && exists(Self.chromium) && !exists(Self.chrome))
    let path = home.path + "/" + Self.firefox
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o644)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      text == HostManifest(browser: .firefox, programPath: home.path + "/" + Self.link).text)
    let target = try FileManager.default.destinationOfSymbolicLink(
      atPath: home.path + "/" + Self.link)
    #expect(FileManager.default.isExecutableFile(atPath: target))
    #expect(result.output.contains("about:debugging#/runtime/this-firefox"))
    #expect(result.output.contains("Chromium: open chrome://extensions"))
    #expect(!result.output.contains("Chrome:"))
    #expect(result.error == "")
  }

  @Test func `a browser can be named before it was used`() async {
    let result = await run("install", "--browser", "chrome")
    #expect(result.code == 0)
    #expect(exists(Self.chrome) && !exists(Self.chromium) && !exists(Self.firefox))
    #expect(await run("install", "--browser", "lynx").code == 2)
  }

  @Test func `without a browser nothing is written`() async {
    #expect(
      await run("install")
        == .init(
          code: 2, output: "",
          error: "kettle: No browser has a profile in your home directory; start yours once, "
            + "or name it with --browser\n"))
    #expect(!exists(".local"))
  }

  @Test func `Firefox looks in its older directory also with profiles in the newer one`()
    async throws
  {
    try make(".config/mozilla/firefox")
    #expect(await run("install").code == 0)
    #expect(exists(Self.firefox))
  }

  @Test func `the directories follow the environment`() async throws {
    try make("elsewhere/chromium")
    let environment = [
      "XDG_CONFIG_HOME": home.path + "/elsewhere", "XDG_DATA_HOME": home.path + "/data",
    ]
    #expect(await run("install", environment: environment).code == 0)
    #expect(exists("elsewhere/chromium/NativeMessagingHosts/org.example.kettle.json"))
    #expect(exists("data/kettle/kettle-native-host"))
  }

  @Test func `the status says what each browser finds`() async throws {
    #expect(await run("status").output.contains("Chromium: not installed; run"))
    #expect(await run("install", "--browser", "chromium").code == 0)
    let installed = await run("status")
    #expect(installed.code == 0)
    #expect(
      installed.output.contains("Chromium: installed, by \"\(home.path)/\(Self.chromium)\"\n"))
    try FileManager.default.removeItem(atPath: home.path + "/" + Self.link)
    let broken = await run("status")
    #expect(broken.code == 1)
    #expect(broken.output.contains("which cannot be run; run \"kettle browser install\""))
    // Installing again repairs it.
    #expect(await run("install", "--browser", "chromium").code == 0)
    #expect(await run("status").code == 0)
  }

  @Test func `a browser in a sandbox is mentioned`() async throws {
    try make("snap/chromium")
    #expect(await run("status").error.hasPrefix("Chromium is a Snap or a Flatpak here"))
  }

  @Test func `uninstall removes what install wrote`() async throws {
    #expect(await run("install", "--browser", "chromium", "--browser", "firefox").code == 0)
    #expect(
      await run("uninstall", "--browser", "firefox").output
        == "Firefox cannot start Kettle any more\n")
    #expect(!exists(Self.firefox) && exists(Self.chromium) && exists(Self.link))
    #expect(await run("uninstall").output == "Chromium cannot start Kettle any more\n")
    #expect(!exists(Self.chromium) && !exists(Self.link))
    #expect(await run("uninstall") == .init(code: 0, output: "", error: ""))
    #expect(
      await run("uninstall", "--browser", "chrome").output
        == "There was no manifest for Chrome in your home directory\n")
  }

  @Test func `a directory that cannot be made is a sentence`() async throws {
    _ = try home.file(".config", "a file")
    let result = await run("install", "--browser", "chromium")
    #expect(result.code == 2)
    #expect(
      result.error.contains(
        "cannot be written (the directory cannot be created); check its permissions"))
  }

  @Test func `packages print their manifests`() async {
    #expect(
      await run("manifest", "chrome", "/usr/libexec/kettle/kettle-native-host").output
        == HostManifest(browser: .chrome, programPath: "/usr/libexec/kettle/kettle-native-host")
        .text)
  }
}
