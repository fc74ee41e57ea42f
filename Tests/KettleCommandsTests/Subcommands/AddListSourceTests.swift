import Foundation
import Glibc
import TestSupport
import Testing

@testable import KettleCommands

/// Sources of `-i` other than regular files.
@Suite(.timeLimit(.minutes(5)))
struct AddListSourceTests {
  @Test func `a device is rejected before it is read`() async {
    let context = FakeContext()
    let outcome = await context.run("add", "-i", "/dev/zero")
    #expect(outcome.code == 2)
    #expect(
      outcome.error
        == "kettle: \"/dev/zero\" is a device; give a file with one URL on each line\n")
    #expect(context.service.asked.isEmpty)
  }

  @Test func `ten gigabytes without a line end are rejected at the line limit`() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("long.txt", "https://example.org/a\n# ")
    // A sparse file: it uses no disk space, and reading it completely would take seconds.
    truncate(path, 10 << 30)
    let outcome = await FakeContext().run("add", "-i", path)
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("Line 2 of"))
    #expect(outcome.error.contains("is longer than 65536 bytes"))
  }

  @Test func `a directory is reported as a directory`() async throws {
    let directory = try TemporaryDirectory()
    let outcome = await FakeContext().run("add", "-i", directory.path)
    #expect(outcome.code == 2)
    #expect(
      outcome.error
        == "kettle: \"\(directory.path)\" is a directory; give a file with one URL on each line\n")
  }

  @Test func `a FIFO without a writer is not waited for`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/fifo"
    mkfifo(path, 0o600)
    let outcome = await FakeContext().run("add", "-i", path)
    #expect(outcome.code == 2)
    #expect(
      outcome.error == "kettle: Nothing writes to the FIFO \"\(path)\"; start its writer first\n")
  }

  @Test func `a FIFO is read until its writer closes, however late it writes`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/fifo"
    mkfifo(path, 0o600)
    // Opening for reading and writing does not wait for the other end (fifo(7)).
    let writer = open(path, O_RDWR | O_CLOEXEC)
    let context = FakeContext()
    async let running = context.run("add", "-i", path)
    let line = Array("https://example.org/a\n".utf8)
    #expect(write(writer, line, line.count) == line.count)
    // This needs its own thread, because the command blocks one of the few task threads. It closes
    // the FIFO once the command has read everything in it.
    OriginThread.start {
      var waiting: Int32 = 1
      while waiting > 0, ioctl(writer, UInt(FIONREAD), &waiting) == 0 { sched_yield() }
      close(writer)
    }
    #expect(await running == .init(code: 0, output: "1\n", error: ""))
  }

  @Test func `a process substitution is read`() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let line = Array("https://example.org/a\n".utf8)
    #expect(write(ends[1], line, line.count) == line.count)
    close(ends[1])
    let outcome = await FakeContext().run("add", "-i", "/dev/fd/\(ends[0])")
    close(ends[0])
    #expect(outcome == .init(code: 0, output: "1\n", error: ""))
  }
}
