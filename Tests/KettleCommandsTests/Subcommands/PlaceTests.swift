import Glibc
import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

/// Places that no file can be saved to.
struct PlaceTests {
  // Fault 168
  @Test(arguments: ["link", "fifo"])
  func `a device or a FIFO in place of the file is refused`(_ name: String) async throws {
    let directory = try TemporaryDirectory()
    symlink("/dev/null", directory.path + "/link")
    mkfifo(directory.path + "/fifo", 0o600)
    var context = FakeContext()
    context.directory = directory.path
    for command in ["get", "add"] {
      let outcome = await context.run(command, "-o", "./" + name, "https://example.org/a")
      #expect(outcome.code == 2)
      #expect(outcome.error.contains("is not a regular file, so nothing can be saved there"))
      #expect(outcome.error.contains("kettle get -o - URL >FILE"))
    }
    #expect(context.service.asked.isEmpty)
  }

  // Fault 168
  @Test func `a device is refused when standard output happens to be a file`() throws {
    #expect(throws: UsageError(.path(.notAPlaceForFiles("/dev/stdout")))) {
      try ArgumentPath.checkPlace(of: "stdout", in: "/dev")
    }
    #expect(throws: UsageError.self) { try ArgumentPath.checkPlace(of: "1", in: "/proc/1/fd") }
    let directory = try TemporaryDirectory()
    _ = try directory.file("there.iso", "x")
    try ArgumentPath.checkPlace(of: "there.iso", in: directory.path)
    try ArgumentPath.checkPlace(of: "new.iso", in: directory.path)
    try ArgumentPath.checkPlace(of: "new.iso", in: "/")
  }

  // Fault 169
  @Test(arguments: [
    (WordNotText.argument(shown: "/m\u{FFFD}l"), "The argument \"/m\u{FFFD}l\" is not UTF-8"),
    (.variable(name: "HOME"), "The value of HOME is not UTF-8"),
  ])
  func `a command with a word that is not text does nothing`(
    _ word: WordNotText, _ beginning: String
  ) async {
    var context = FakeContext()
    context.wordNotText = word
    for command in [["add", "https://example.org/a"], ["list"], ["daemon", "run"]] {
      let outcome = await context.run(command)
      #expect(outcome.code == 2)
      #expect(outcome.error.hasPrefix("kettle: " + beginning))
    }
    #expect(context.service.asked.isEmpty)
    #expect(await context.run("--help").code == 0)
    #expect(await runAria2c(arguments: ["https://example.org/a"], context: context.context) == 28)
    #expect(await runNativeHost(context: context.context) == 2)
  }

  // Fault 170
  @Test(arguments: [
    (WorkingDirectory.Problem.gone, "does not exist any more"),
    (.notText, "has a name that is not UTF-8"),
    (.unreadable(detail: "no"), "cannot be determined (no)"),
  ])
  func `a relative path from a directory that is gone leads nowhere`(
    _ problem: WorkingDirectory.Problem, _ why: String
  ) async throws {
    var context = FakeContext()
    context.workingDirectory = .unreachable(problem)
    let url = "https://example.org/a"
    let sentence =
      "kettle: \"sub\" is relative to the current directory, which \(why); "
      + "go to another directory, or give an absolute path\n"
    #expect(
      await context.run("add", "-d", "sub", url) == .init(code: 2, output: "", error: sentence))
    for words in [["-o", "./x", url], ["-i", "list"], ["--ca-certificate", "ca.pem", url]] {
      #expect(await context.run(["add"] + words).code == 2)
    }
    #expect(context.service.asked.isEmpty)
    #expect(access("/sub", F_OK) != 0)
    // Without a relative path nothing is missing.
    #expect(await context.run("add", url).code == 0)
  }

  // Fault 170
  @Test func `a path is resolved from the directory of the command`() throws {
    #expect(try WorkingDirectory.at("/srv").absolute("a") == "/srv/a")
    #expect(try WorkingDirectory.at("/").absolute("a") == "/a")
    #expect(try WorkingDirectory.unreachable(.gone).absolute("/a") == "/a")
    #expect(WorkingDirectory.current.path?.hasPrefix("/") == true)
  }
}
