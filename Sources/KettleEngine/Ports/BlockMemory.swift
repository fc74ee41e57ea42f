/// Memory in which bytes are gathered before they are written. It is reused: fresh memory has to be
/// mapped page by page, which costs more than filling it.
///
/// `@unchecked` because each byte belongs to one thread at a time: unfilled bytes to the filling
/// thread, filled bytes to the writing one. Unused memory lies under a lock.
package final class BlockMemory: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer
  /// nil: the usual way.
  package let copying: BlockCopying?
  private let owner: Owner

  private enum Owner {
    case itself(@Sendable (UnsafeMutableRawBufferPointer) -> Void)
    case other(BlockMemory)
  }

  /// - Parameters:
  ///   - copying: how bytes are copied into it, when there is a better way than the usual one.
  ///   - release: called once, when the last part is released.
  package init(
    _ bytes: UnsafeMutableRawBufferPointer, copying: BlockCopying? = nil,
    release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self.bytes = bytes
    self.copying = copying
    owner = .itself(release)
  }

  private init(_ bytes: UnsafeMutableRawBufferPointer, of whole: BlockMemory) {
    self.bytes = bytes
    copying = whole.copying
    owner = .other(whole)
  }

  deinit {
    if case .itself(let release) = owner { release(bytes) }
  }

  /// Copies bytes to the position `from`, and publishes them with all that the thread copied
  /// before. Called by the owning thread. (`GrantedRoom` does the same without a check and without
  /// publishing: there every piece counts.)
  package func fill(from: Int, _ source: UnsafeRawBufferPointer) {
    let place = UnsafeMutableRawBufferPointer(rebasing: bytes[from..<(from + source.count)])
    if let copying {
      copying.copy(place.baseAddress, source.baseAddress, source.count)
      copying.publish()
    } else {
      place.copyMemory(from: source)
    }
  }

  /// Makes the reported copies of another thread visible. Called by the thread that takes the
  /// memory over before it is full.
  package func collect() { copying?.collect() }

  /// Ordinary heap memory, whose pages are mapped on use.
  package static func ordinary(byteCount: Int, alignment: Int) -> BlockMemory {
    BlockMemory(.allocate(byteCount: byteCount, alignment: alignment)) { $0.deallocate() }
  }

  /// Returns parts of `byteCount` bytes each, without the remainder.
  package func split(byteCount: Int) -> [BlockMemory] {
    guard byteCount < bytes.count else { return [self] }
    return stride(from: 0, through: bytes.count - byteCount, by: byteCount).map { from in
      BlockMemory(
        UnsafeMutableRawBufferPointer(rebasing: bytes[from..<(from + byteCount)]), of: self)
    }
  }
}

/// A faster copy into a block, with unordered stores: a thread that sees the counter of a copy may
/// not see the copy yet. The piece that fills a block is reported after `publish`. A thread that
/// takes over a block that is not full calls `collect`.
///
/// C functions, which need no counted reference.
package struct BlockCopying: Sendable {
  /// Copies bytes, like memcpy(3).
  package typealias Copy =
    @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Void
  package typealias Fence = @convention(c) @Sendable () -> Void

  package let copy: Copy
  package let publish: Fence
  package let collect: Fence

  /// - Parameters:
  ///   - publish: called by the thread that copied. Threads that see what it does next see the
  ///     copies.
  ///   - collect: called by another thread, which has seen what the copying thread did afterwards.
  ///     From then on it sees the copies, too.
  package init(copy: Copy, publish: Fence, collect: Fence) {
    self.copy = copy
    self.publish = publish
    self.collect = collect
  }
}
