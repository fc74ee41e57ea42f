import KettleSystem

/// What must hold before the first thread starts.
package struct StartCheck {
  /// For the heap, libraries loaded later, and transfer buffers.
  private static let heapByteCount: UInt64 = 256 << 20
  private static let threadCount: UInt64 = 32

  /// nil: no limit.
  let limitByteCount: UInt64?
  let threadStackByteCount: UInt64
  let hasRoom: (UInt64) -> Bool

  /// Returns why this process cannot run, or nil when it can.
  ///
  /// Without room for a thread's stack libdispatch retries forever, and Swift's runtime does not
  /// survive a failed allocation. So a limit that is too low must be reported here.
  package static func problem() -> String? {
    let check = StartCheck(
      limitByteCount: AddressSpace.limitByteCount,
      threadStackByteCount: AddressSpace.threadStackByteCount, hasRoom: AddressSpace.hasRoom)
    guard check.limitByteCount != nil else { return nil }
    AddressSpace.shareHeap()
    return check.problem
  }

  var problem: String? {
    guard let limitByteCount else { return nil }
    let (stacks, overflows) = threadStackByteCount.multipliedReportingOverflow(
      by: Self.threadCount)
    let needed = overflows ? .max : Self.heapByteCount.addingSaturating(stacks)
    return hasRoom(needed)
      ? nil : Sentences.addressSpaceTooSmall(limit: limitByteCount, needed: needed)
  }
}

extension UInt64 {
  fileprivate func addingSaturating(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

extension Sentences {
  static func addressSpaceTooSmall(limit: UInt64, needed: UInt64) -> String {
    "The address space is limited to \(limit >> 20) MiB, but the \(needed >> 20) MiB that "
      + "Kettle needs besides its own code do not fit; raise the limit (ulimit -v) and try again"
  }
}
