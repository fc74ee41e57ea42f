/// Memory that bytes are gathered in before they are written. It is used again and again: fresh
/// memory has to be mapped page by page, which costs more than to fill it.
///
/// `@unchecked` because of each byte one thread at a time has it: who fills, those that are not
/// filled yet, who writes, those that are, and nobody while it lies unused under a lock.
package final class BlockMemory: @unchecked Sendable {
  /// Copies so many bytes into the memory; a C function, which needs no counted reference.
  package typealias Copy =
    @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Void

  package let bytes: UnsafeMutableRawBufferPointer
  /// nil for the usual way.
  package let copy: Copy?
  private let owner: Owner

  private enum Owner {
    case itself(@Sendable (UnsafeMutableRawBufferPointer) -> Void)
    case other(BlockMemory)
  }

  /// - Parameters:
  ///   - copy: how bytes come into it, when there is a better way than the usual one.
  ///   - release: called once, when the last part of it goes.
  package init(
    _ bytes: UnsafeMutableRawBufferPointer, copy: Copy? = nil,
    release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self.bytes = bytes
    self.copy = copy
    owner = .itself(release)
  }

  private init(_ bytes: UnsafeMutableRawBufferPointer, of whole: BlockMemory) {
    self.bytes = bytes
    copy = whole.copy
    owner = .other(whole)
  }

  deinit {
    if case .itself(let release) = owner { release(bytes) }
  }

  /// Copies bytes to the place `from`. By who has it. (`GrantedRoom` does the same without a check:
  /// there every piece counts.)
  package func fill(from: Int, _ source: UnsafeRawBufferPointer) {
    let place = UnsafeMutableRawBufferPointer(rebasing: bytes[from..<(from + source.count)])
    if let copy {
      copy(place.baseAddress, source.baseAddress, source.count)
    } else {
      place.copyMemory(from: source)
    }
  }

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
