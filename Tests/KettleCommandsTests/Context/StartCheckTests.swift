import Testing

@testable import KettleCommands

struct StartCheckTests {
  private func problem(limit: UInt64?, stack: UInt64 = 8 << 20, room: UInt64) -> String? {
    StartCheck(limitByteCount: limit, threadStackByteCount: stack, hasRoom: { $0 <= room }).problem
  }

  @Test func `an address space that is too small is reported with both numbers`() {
    #expect(
      problem(limit: 400_000 << 10, room: 511 << 20)
        == "The address space is limited to 390 MiB, but the 512 MiB that Kettle needs besides "
        + "its own code do not fit; raise the limit (ulimit -v) and try again")
  }

  @Test func `starting is allowed without a limit or with enough address space`() {
    #expect(problem(limit: nil, room: 0) == nil)
    #expect(problem(limit: 1 << 30, room: 512 << 20) == nil)
  }

  @Test func `larger stacks need more room`() {
    #expect(problem(limit: 1 << 30, stack: 16 << 20, room: 512 << 20) != nil)
    #expect(problem(limit: 1 << 30, stack: .max, room: .max - 1) != nil)
  }
}
