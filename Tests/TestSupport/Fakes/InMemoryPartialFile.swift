import KettleEngine
import KettleModel
import KettleSystem

/// An open file of `InMemoryFileStorage`; like a descriptor, it refers to an inode.
final class InMemoryPartialFile: PartialFile {
  let path: String
  let finalName: String
  let device = InMemoryFileStorage.device
  let inode: UInt64
  private let storage: InMemoryFileStorage
  private let writtenUpTo: Mutex<Int>

  init(_ storage: InMemoryFileStorage, path: String, finalName: String, inode: UInt64) {
    self.storage = storage
    self.path = path
    self.finalName = finalName
    self.inode = inode
    writtenUpTo = Mutex(
      storage.state.withLock { $0.files.values.first { $0.inode == inode }?.bytes.count ?? 0 })
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    let copy = [UInt8](bytes)
    storage.state.withLock { $0.writeGate }?.pass()
    try checkLength()
    try change(.write) { file in
      let start = Int(clamping: offset)
      if file.bytes.count < start {
        file.bytes += [UInt8](repeating: 0, count: start - file.bytes.count)
      }
      let missingCount = start + copy.count - file.bytes.count
      if missingCount > 0 { file.bytes += [UInt8](repeating: 0, count: missingCount) }
      file.bytes.withUnsafeMutableBytes { bytes in
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + copy.count])
        copy.withUnsafeBytes { part.copyMemory(from: $0) }
      }
    }
    writtenUpTo.withLock { $0 = max($0, Int(clamping: offset) + copy.count) }
  }

  private func checkLength() throws(TransferFailure) {
    let byteCount = storage.state.withLock { state in
      state.files.values.first { $0.inode == inode }?.bytes.count
    }
    guard let byteCount, byteCount < writtenUpTo.withLock({ $0 }) else { return }
    throw TransferFailure(
      .partialFileChanged, on: path, detail: "it is shorter than what was kept")
  }

  func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(TransferFailure) {
    guard try storage.read(.read, inode, into: buffer, at: offset) else {
      throw TransferFailure(
        .partialFileChanged, on: path, detail: "it is shorter than what was kept")
    }
  }

  /// Everything is in memory already.
  func keepInMemory() {}

  func setPermissions(_ permissions: FilePermissions) {
    storage.state.withLock { state in
      guard let path = state.files.first(where: { $0.value.inode == inode })?.key else { return }
      state.files[path]?.permissions = permissions
    }
  }

  func sync() throws(TransferFailure) -> Int64 {
    storage.waitUntilSyncsMayGoOn()
    let modified = try change(.sync) { file in
      file.syncedBytes = file.bytes
      return file.modified
    }
    try checkLength()
    guard let modified else {
      throw TransferFailure(.partialFileChanged, on: path, detail: "it is gone")
    }
    return modified
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
    writtenUpTo.withLock { $0 = Int(clamping: byteCount) }
  }

  /// A file that was deleted meanwhile accepts writes as well; they have no effect, and the result
  /// is nil.
  @discardableResult
  private func change<Value: Sendable>(
    _ operation: InMemoryFileStorage.Operation,
    _ body: (inout InMemoryFileStorage.File) -> Value
  ) throws(TransferFailure) -> Value? {
    try storage.state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(operation)
        guard let path = state.files.first(where: { $0.value.inode == inode })?.key,
          var file = state.files.removeValue(forKey: path)
        else { return nil }
        if operation != .sync {
          state.clock += 1
          file.modified = state.clock
        }
        let value = body(&file)
        state.files[path] = file
        return value
      }
    }.get()
  }
}

extension InMemoryFileStorage {
  /// Fills the buffer from the file of an inode. False if the file is too short or was deleted.
  func read(
    _ operation: Operation, _ inode: UInt64, into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int64
  ) throws(TransferFailure) -> Bool {
    let bytes = try state.withLock { state in
      Result { () throws(TransferFailure) in
        try state.begin(operation)
        return state.files.values.first { $0.inode == inode }?.bytes
      }
    }.get()
    let piece = (bytes ?? []).dropFirst(Int(clamping: offset)).prefix(buffer.count)
    buffer.copyBytes(from: piece)
    return piece.count == buffer.count
  }
}
