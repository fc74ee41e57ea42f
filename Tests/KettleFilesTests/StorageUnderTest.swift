import Glibc
import KettleEngine
import KettleFiles
import KettleModel
import Testing
import TestSupport

/// The storages that must behave identically.
enum StorageKind: String, CaseIterable, Sendable {
  case linux, memory
}

/// One storage with an empty documents directory, and functions to read and change its files as
/// another program would.
struct StorageUnderTest {
  let files: any FileStorage
  let directory: String
  let bytes: (String) -> [UInt8]?
  let names: () -> [String]
  /// Puts a new file in place of any existing one.
  let put: ([UInt8], String) throws -> Void
  let remove: (String) -> Void
  let shorten: (String, Int) throws -> Void
  /// Sets the modification time of a file, in nanoseconds since 1970.
  let setModified: (Int64, String) -> Void
  let removeDirectory: () -> Void
  private let scratch: ScratchDirectory?

  init(_ kind: StorageKind) throws {
    switch kind {
    case .linux:
      let scratch = try ScratchDirectory()
      let directory = scratch.path + "/documents"
      self.scratch = scratch
      self.directory = directory
      files = POSIXFileStorage(documentsDirectory: directory)
      bytes = { Disk.bytes(at: $0) }
      names = { Disk.names(in: directory) }
      put = { bytes, path in
        mkdir(directory, 0o755)
        // A new inode, even if the file system would reuse the old number immediately.
        try Disk.put(bytes, at: path + ".new")
        rename(path + ".new", path)
      }
      remove = { unlink($0) }
      shorten = { path, byteCount in try #require(truncate(path, off_t(byteCount)) == 0) }
      setModified = { Disk.setModified($1, nanoseconds: $0) }
      removeDirectory = { ScratchDirectory.remove(directory) }
    case .memory:
      let directory = "/home/somebody/documents"
      let memory = InMemoryFileStorage(documentsDirectory: directory)
      scratch = nil
      self.directory = directory
      files = memory
      bytes = { memory.bytes(at: $0) }
      names = {
        memory.paths.filter { $0.hasPrefix(directory + "/") }
          .map { String($0.dropFirst(directory.count + 1)) }
      }
      put = { bytes, path in
        memory.makeDirectory(directory)
        memory.put(bytes, at: path)
      }
      remove = { memory.remove($0) }
      shorten = { path, byteCount in
        memory.overwrite(path, with: Array((memory.bytes(at: path) ?? []).prefix(byteCount)))
      }
      setModified = { memory.setModified($1, nanoseconds: $0) }
      removeDirectory = { memory.removeDirectory(directory) }
    }
  }

  func path(_ name: String) -> String { directory + "/" + name }

  func create(
    _ name: String, _ policy: ConflictPolicy = .rename
  ) throws(TransferFailure) -> any PartialFile {
    try files.createPartialFile(in: directory, preferredName: name, onConflict: policy)
  }

  /// A complete partial file, in the state before the engine finishes it.
  func whole(
    _ name: String, _ bytes: [UInt8], _ policy: ConflictPolicy = .rename
  ) throws(TransferFailure) -> ResumeData {
    let file = try create(name, policy)
    try file.write(bytes)
    _ = try file.sync()
    return file.resumeData(durable: bytes.count, total: bytes.count)
  }
}

extension PartialFile {
  func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(TransferFailure) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(TransferFailure) in try write(buffer, at: offset) }
    }
    try result.get()
  }

  func read(_ count: Int, at offset: Int64 = 0) throws(TransferFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(TransferFailure) in try read(buffer, at: offset) }
    }.get()
    return bytes
  }

  func resumeData(durable: Int, total: Int? = nil) -> ResumeData {
    ResumeData(
      partialPath: path, device: device, inode: inode,
      durable: ByteRangeSet(prefix: Int64(durable)), totalByteCount: total.map(Int64.init),
      validator: nil, finalName: finalName)
  }
}

/// The failure that a call throws; nil if it succeeds.
func failure<Value>(_ body: () throws(TransferFailure) -> Value) -> TransferFailure? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
