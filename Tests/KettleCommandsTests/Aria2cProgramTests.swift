import Foundation
import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

/// `kettle-aria2c` with a service in memory.
@Suite(.timeLimit(.minutes(5)))
final class Aria2cProgramTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func run(
    _ words: String..., service: FakeService = FakeService(), finishing: Bool = true
  ) async -> (code: Int32, specs: [TransferSpec], output: String, error: String) {
    var context = FakeContext()
    context.service = service
    context.directory = place.path
    if finishing {
      let path = place.path
      service.onAdd { _ in
        service.changeRows { rows in
          for index in rows.indices where rows[index].state == .queued {
            rows[index].state = .completed
            rows[index].path = path + "/file"
          }
        }
      }
    }
    let code = await runAria2c(arguments: words, context: context.context)
    let specs: [TransferSpec] = service.asked.flatMap { asked -> [TransferSpec] in
      if case .add(let specs) = asked { specs } else { [] }
    }
    return (code, specs, context.console.output, context.console.error)
  }

  @Test func `a file is fetched as the options say`() async {
    let outcome = await run(
      "-x4", "-s4", "-d", "new", "-o", "f.bin", "--header=A: b",
      "--checksum=md5="
        + String(repeating: "0", count: 32), "--allow-overwrite=true", "http://a.example/f")
    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(outcome.specs.count == 1)
    let spec = outcome.specs.first
    #expect(spec?.directory == place.path + "/new")
    #expect(FileManager.default.fileExists(atPath: place.path + "/new"))
    #expect(spec?.name?.text == "f.bin")
    #expect(spec?.connections == 4)
    #expect(spec?.headers == [HeaderField("A: b")].compactMap { $0 })
    #expect(spec?.checksum?.algorithm == .md5)
    #expect(spec?.onConflict == .replace)
    #expect(spec?.options.rpc == nil)
    #expect(outcome.output == place.path + "/file\n")
  }

  @Test func `several URIs are mirrors, or files with -Z`() async {
    let mirrors = await run("http://a.example/f", "http://b.example/f")
    #expect(mirrors.specs.map(\.options.mirrors.count) == [1])
    #expect(mirrors.specs.first?.directory == place.path)
    let files = await run("-Z", "http://a.example/f", "http://b.example/g")
    #expect(files.specs.map(\.url.text) == ["http://a.example/f", "http://b.example/g"])
  }

  @Test func `a list has files with options of their own`() async throws {
    let list = try place.file("list", "http://a.example/1\n  out=one\nhttp://a.example/2\n")
    let outcome = await run("-i", list, "-d", place.path, "-j1")
    #expect(outcome.specs.map { $0.name?.text } == ["one", nil])
    #expect(outcome.error.contains("kettle: -j 1: the service decides"), "\(outcome.error)")
  }

  @Test func `cookies go to their host`() async throws {
    let jar = try place.file(
      "cookies", "# Netscape HTTP Cookie File\n.a.example\tTRUE\t/\tFALSE\t0\tk\tv\n")
    let outcome = await run("--load-cookies=" + jar, "http://a.example/f")
    #expect(outcome.specs.first?.options.cookies.map(\.name) == ["k"])
  }

  @Test(arguments: [
    [], ["--no-such"], ["-x", "many", "http://a/"], ["magnet:?xt=1"], ["--dry-run", "http://a/"],
    ["--on-download-complete=/bin/true", "http://a/"], ["--enable-rpc", "http://a/"],
    ["--enable-rpc", "--rpc-secret=abcdefgh"], ["--check-certificate=false", "http://a/"],
    ["-i", "/nowhere/list"], ["-T", "x.torrent"], ["--pause=true", "http://a/"],
    ["--pause", "--enable-rpc", "--rpc-secret=abcdefgh", "http://a/"], ["--stop=x", "http://a/"],
    ["-D", "--stop=2", "http://a/"], ["--ca-certificate=/ca", "http://a/"],
    ["--interface=eth0", "http://a/"], ["--ssh-host-key-md=sha-1=00", "sftp://a/b"],
    ["--lowest-speed-limit=1K", "http://a/"], ["--conditional-get", "http://a/"],
    ["--max-overall-download-limit=x", "http://a/"], ["--hash-check-only=true", "http://a/"],
  ])
  func `what it cannot do is refused with a sentence and aria2's number`(
    words: [String]
  ) async {
    var context = FakeContext()
    context.directory = place.path
    let code = await runAria2c(arguments: words, context: context.context)
    #expect(code == 28, "\(context.console.error)")
    #expect(context.console.error.hasPrefix("kettle: "))
    #expect(context.service.asked == [])
  }

  @Test func `the exit status names the problem`() async {
    let service = FakeService()
    service.onAdd { _ in
      service.changeRows { rows in
        for index in rows.indices {
          rows[index].state = .failed
          rows[index].error = TransferFailure(.httpStatus, on: "http://a/", detail: "404 Not Found")
        }
      }
    }
    let outcome = await run("http://a.example/f", service: service, finishing: false)
    #expect(outcome.code == 3, "\(outcome.error)")
  }

  @Test func `-D queues and ends`() async {
    let outcome = await run("-D", "http://a.example/f", finishing: false)
    #expect(outcome.code == 0)
    #expect(outcome.specs.count == 1)
  }

  @Test func `--stop ends the command and pauses what is unfinished`() async {
    let outcome = await run("--stop=2", "http://a.example/f", finishing: false)
    #expect(outcome.code == 7, "\(outcome.error)")
  }

  @Test func `--stop=0 and options that ask for nothing are accepted`() async {
    let outcome = await run(
      "--stop=0", "--lowest-speed-limit=0", "--ca-certificate=", "--use-head=false",
      "--http-accept-gzip=true", "http://a.example/f")
    #expect(outcome.code == 0, "\(outcome.error)")
  }

  @Test func `files share the limit for all together`() async {
    let outcome = await run(
      "-D", "-Z", "--max-overall-download-limit=300K", "--max-download-limit=100K",
      "http://a.example/f",
      "http://b.example/g", finishing: false)
    #expect(outcome.specs.map(\.limitBytesPerSecond) == [102_400, 102_400])
    let one = await run("--max-overall-download-limit=300K", "http://a.example/f")
    #expect(one.specs.first?.limitBytesPerSecond == 307_200)
  }

  @Test func `--pause is for downloads that are only queued`() async throws {
    let outcome = await run("-D", "--pause=true", "http://a.example/f", finishing: false)
    #expect(outcome.code == 0)
    #expect(outcome.specs.first?.beginning == .paused)
    let list = try place.file("list", "http://a.example/1\n  pause=true\n")
    #expect(await run("-i", list, finishing: false).code == 28)
  }

  // Fault 128
  @Test func `what a file contains cannot control the terminal`() async throws {
    let list = try place.file(
      "list", "http://127.0.0.1:1/x\n gid=\u{1B}]0;PWN\u{7}\u{9B}31m\n")
    let outcome = await run("-i", list)
    #expect(outcome.code == 28)
    #expect(outcome.error.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl })
  }

  @Test func `an interrupted download is paused`() async {
    var context = FakeContext()
    context.directory = place.path
    context.interruptions = [.interrupt]
    let code = await runAria2c(arguments: ["http://a.example/f"], context: context.context)
    #expect(code == 7)
    #expect(
      context.service.asked.contains(
        .control(.pause, .ids([TransferID(rawValue: 1)]))))
  }

  // Fault 175
  @Test(arguments: ["--help", "--version"])
  func `text that cannot be written is an error`(word: String) async {
    let context = FakeContext()
    context.console.fail(with: .cannotWrite(detail: "No space left on device"))
    #expect(await runAria2c(arguments: [word], context: context.context) == 1)
    #expect(context.console.error.hasPrefix("kettle: Cannot write to standard output"))
  }

  @Test func `help and version are printed`() async {
    for (word, part) in [("--help", "yt-dlp --downloader kettle-aria2c"), ("-v", "kettle-aria2c ")]
    {
      let outcome = await run(word)
      #expect(outcome.code == 0)
      #expect(outcome.output.contains(part))
    }
  }
}
