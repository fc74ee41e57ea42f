import Synchronization
import TransferEngine
import TransferModel

/// An open file of `InMemoryFileStorage`: it follows its inode, as a descriptor does.
final class InMemoryPartialFile: PartialFile {
  let path: String
  let finalName: String
  let device = InMemoryFileStorage.device
  let inode: UInt64
  private let storage: InMemoryFileStorage

  init(_ storage: InMemoryFileStorage, path: String, finalName: String, inode: UInt64) {
    self.storage = storage
    self.path = path
    self.finalName = finalName
    self.inode = inode
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    let copy = [UInt8](bytes)
    try change(.write) { file in
      let start = Int(clamping: offset)
      if file.bytes.count < start {
        file.bytes += [UInt8](repeating: 0, count: start - file.bytes.count)
      }
      file.bytes.replaceSubrange(start..<min(file.bytes.count, start + copy.count), with: copy)
    }
  }

  func sync() throws(TransferFailure) {
    try change(.sync) { $0.syncedBytes = $0.bytes }
  }

  func truncate(to byteCount: Int64) throws(TransferFailure) {
    try change(.truncate) { file in
      let count = Int(clamping: byteCount)
      if file.bytes.count > count {
        file.bytes.removeLast(file.bytes.count - count)
      } else {
        file.bytes += [UInt8](repeating: 0, count: count - file.bytes.count)
      }
    }
  }

  /// A file that was deleted meanwhile takes writes as well; nobody sees them.
  private func change(
    _ operation: InMemoryFileStorage.Operation, _ body: (inout InMemoryFileStorage.File) -> Void
  ) throws(TransferFailure) {
    let result = storage.state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(operation)
        guard let path = state.files.first(where: { $0.value.inode == inode })?.key,
          var file = state.files.removeValue(forKey: path)
        else { return }
        if operation != .sync {
          state.clock += 1
          file.modified = state.clock
        }
        body(&file)
        state.files[path] = file
      }
    }
    try result.get()
  }
}
