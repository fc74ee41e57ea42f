import KettleEngine
import KettleModel
import KettleSystem

/// A partial file that keeps only the number of its bytes.
package final class DiscardingFile: PartialFile {
  package let path = "/downloads/a.part"
  package let finalName = "a"
  package let device: UInt64 = 1
  package let inode: UInt64 = 1
  private let written = Mutex<Int64>(0)

  package init() {}

  package var byteCount: Int64 { written.withLock { $0 } }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    written.withLock { $0 = max($0, offset + Int64(bytes.count)) }
  }

  package func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(TransferFailure) {
    throw TransferFailure(.partialFileChanged, on: path)
  }

  package func sync() throws(TransferFailure) -> Int64 { 0 }
  package func keepInMemory() {}
  package func setPermissions(_ permissions: FilePermissions) {}
  package func truncate(to byteCount: Int64) throws(TransferFailure) {
    written.withLock { $0 = byteCount }
  }
}
