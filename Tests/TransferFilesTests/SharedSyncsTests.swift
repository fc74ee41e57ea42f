import Dispatch
import Glibc
import Synchronization
import Testing

@testable import TransferFiles

/// One sync of a directory for many that wait for it.
@Suite(.timeLimit(.minutes(1)))
struct SharedSyncsTests {
  private let scratch: ScratchDirectory
  private let syncs = SharedSyncs()

  init() throws { scratch = try ScratchDirectory() }

  /// A disk whose syncs wait for the test.
  private final class Disk: Sendable {
    let begun: AsyncStream<Void>
    private let told: AsyncStream<Void>.Continuation
    private let gate = DispatchSemaphore(value: 0)
    private let state = Mutex((count: 0, failures: [Int32]()))

    init(failures: [Int32] = []) {
      (begun, told) = AsyncStream.makeStream()
      state.withLock { $0.failures = failures }
    }

    var count: Int { state.withLock { $0.count } }
    func release() { gate.signal() }

    var calls: FileCalls {
      var calls = FileCalls.kernel
      calls.syncAll = { [self] _ in
        let failure = state.withLock { state in
          state.count += 1
          return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        told.yield()
        gate.wait()
        guard let failure, failure != 0 else { return 0 }
        errno = failure
        return -1
      }
      return calls
    }
  }

  /// So many callers, each on a thread of its own.
  private func call(_ count: Int, _ disk: Disk) throws -> AsyncStream<Errno?> {
    let (ends, told) = AsyncStream<Errno?>.makeStream()
    for number in 0..<count {
      let directory = try Directory(scratch.path, calls: disk.calls)
      DispatchQueue(label: "test.caller.\(number)").async { [syncs] in
        do throws(Errno) {
          try syncs.sync(directory)
          told.yield(nil)
        } catch {
          told.yield(error)
        }
      }
    }
    return ends
  }

  @Test func `who comes while one is under way shares the next`() async throws {
    let disk = Disk()
    var begun = disk.begun.makeAsyncIterator()
    let first = try call(1, disk)
    await begun.next()
    let others = try call(8, disk)
    try await waitUntil(asked: 9)
    disk.release()
    // That of the others may go on as soon as it begins; whether it does is counted below.
    disk.release()
    var ends: [Errno?] = []
    for await end in first.prefix(1) { ends.append(end) }
    for await end in others.prefix(8) { ends.append(end) }
    #expect(ends.count == 9)
    #expect(ends.allSatisfy { $0 == nil })
    #expect(disk.count == 2)
  }

  @Test func `a failure is that of all who waited for it`() async throws {
    let disk = Disk(failures: [0, EIO])
    var begun = disk.begun.makeAsyncIterator()
    let first = try call(1, disk)
    await begun.next()
    let others = try call(4, disk)
    try await waitUntil(asked: 5)
    disk.release()
    await begun.next()
    disk.release()
    for await end in first.prefix(1) { #expect(end == nil) }
    for await end in others.prefix(4) { #expect(end == Errno(rawValue: EIO)) }
    #expect(disk.count == 2)
  }

  @Test func `who comes later gets a sync of its own`() throws {
    let disk = Disk()
    let directory = try Directory(scratch.path, calls: disk.calls)
    for count in 1...3 {
      disk.release()
      try syncs.sync(directory)
      #expect(disk.count == count)
    }
  }

  /// So many have asked by now.
  private func waitUntil(asked count: Int) async throws {
    while syncs.askedCount(of: try Directory(scratch.path)) < count { await Task.yield() }
  }
}
