import Foundation
import Testing

@testable import KettleCommands

/// The units of `kettle daemon install`, and those of the packages.
struct SystemdUnitsTests {
  private func packaged(_ name: String) throws -> String {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    return try String(
      contentsOf: here.appending(path: "../../../assets/systemd/\(name)").standardizedFileURL,
      encoding: .utf8)
  }

  @Test func `the packages have the same units`() throws {
    #expect(try packaged("kettle.socket") == SystemdUnits.socket)
    #expect(try packaged("kettle.service") == SystemdUnits.service(program: "/usr/bin/kettle"))
  }

  @Test func `a path with special characters is one word`() {
    let unit = SystemdUnits.service(program: "/home/me/my \"100%\" $dir/kettle")
    #expect(
      unit.contains("ExecStart=\"/home/me/my \\\"100%%\\\" $$dir/kettle\" daemon run\n"))
  }

  @Test func `without systemd nothing is installed`() async throws {
    let home = try TemporaryDirectory()
    for command in ["install", "uninstall"] {
      var context = FakeContext()
      context.environment = ["HOME": home.path, "XDG_RUNTIME_DIR": home.path]
      let outcome = await context.run("daemon", command)
      #expect(outcome.code == 2)
      #expect(outcome.error.hasPrefix("kettle: No systemd runs for this user"))
      #expect(context.service.asked == [])
    }
    #expect(!FileManager.default.fileExists(atPath: home.path + "/.config"))
  }
}
