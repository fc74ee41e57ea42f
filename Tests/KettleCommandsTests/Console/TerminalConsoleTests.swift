import Foundation
import Testing

@testable import KettleCommands

struct TerminalConsoleTests {
  // Fault 131
  @Test func `writing to a closed pipe throws instead of ending the process`() throws {
    _ = TerminalConsole()
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    #expect(throws: ConsoleError.readerGone) {
      try TerminalConsole.write([65], to: pipe.fileHandleForWriting.fileDescriptor)
    }
  }

  @Test func `a full disk is reported in the system's words`() throws {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    #expect(throws: ConsoleError.cannotWrite(detail: "No space left on device")) {
      try TerminalConsole.write([65], to: full)
    }
  }

  @Test func `output larger than the pipe buffer is written completely in non-blocking mode`()
    async throws
  {
    let pipe = Pipe()
    let writer = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(writer, F_SETFL, O_NONBLOCK)
    let (read, continuation) = AsyncStream<Int>.makeStream()
    // Both ends block, so neither may run on the threads that tasks share.
    Thread.detachNewThread {
      continuation.yield((try? pipe.fileHandleForReading.readToEnd())?.count ?? -1)
    }
    Thread.detachNewThread {
      try? TerminalConsole.write([UInt8](repeating: 66, count: 300_000), to: writer)
      try? pipe.fileHandleForWriting.close()
    }
    #expect(await read.first { _ in true } == 300_000)
  }
}
