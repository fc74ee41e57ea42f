/// Memory that bytes are gathered in before they are written. It is used again and again: fresh
/// memory has to be mapped page by page, which costs more than to fill it.
///
/// `@unchecked` because of each byte one thread at a time has it: who fills, those that are not
/// filled yet, who writes, those that are, and nobody while it lies unused under a lock.
package final class BlockMemory: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer
  /// nil for the usual way.
  package let copying: BlockCopying?
  private let owner: Owner

  private enum Owner {
    case itself(@Sendable (UnsafeMutableRawBufferPointer) -> Void)
    case other(BlockMemory)
  }

  /// - Parameters:
  ///   - copying: how bytes come into it, when there is a better way than the usual one.
  ///   - release: called once, when the last part of it goes.
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

  /// Copies bytes to the place `from`, and publishes them with all that the thread copied before.
  /// By who has it. (`GrantedRoom` does the same without a check and without publishing: there
  /// every piece counts.)
  package func fill(from: Int, _ source: UnsafeRawBufferPointer) {
    let place = UnsafeMutableRawBufferPointer(rebasing: bytes[from..<(from + source.count)])
    if let copying {
      copying.copy(place.baseAddress, source.baseAddress, source.count)
      copying.publish()
    } else {
      place.copyMemory(from: source)
    }
  }

  /// What another thread has copied into it, and told of, is there. By who takes it over before it
  /// is full.
  package func collect() { copying?.collect() }

  /// Memory of the process at large, whose pages come when they are used.
  package static func ordinary(byteCount: Int, alignment: Int) -> BlockMemory {
    BlockMemory(.allocate(byteCount: byteCount, alignment: alignment)) { $0.deallocate() }
  }

  /// Parts of so many bytes; a rest is left out.
  package func split(byteCount: Int) -> [BlockMemory] {
    guard byteCount < bytes.count else { return [self] }
    return stride(from: 0, through: bytes.count - byteCount, by: byteCount).map { from in
      BlockMemory(
        UnsafeMutableRawBufferPointer(rebasing: bytes[from..<(from + byteCount)]), of: self)
    }
  }
}

/// A quicker way for bytes into a block than the usual one, with stores that nothing orders: who
/// sees the counter that tells of a copy may not see the copy yet. The piece that fills a block is
/// told of after `publish`; who takes a block that is not full calls `collect`.
///
/// C functions, which need no counted reference.
package struct BlockCopying: Sendable {
  /// So many bytes, like memcpy(3).
  package typealias Copy =
    @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Void
  package typealias Fence = @convention(c) @Sendable () -> Void

  package let copy: Copy
  package let publish: Fence
  package let collect: Fence

  /// - Parameters:
  ///   - publish: called by the thread that copied. Who sees what it does next sees the copies.
  ///   - collect: called by another thread, which has seen what the one that copied did after
  ///     it. From then on it sees the copies, too.
  package init(copy: Copy, publish: Fence, collect: Fence) {
    self.copy = copy
    self.publish = publish
    self.collect = collect
  }
}
