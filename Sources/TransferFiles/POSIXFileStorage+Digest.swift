import Glibc
import TransferEngine
import TransferModel

extension POSIXFileStorage {
  package func digest(
    of path: String, algorithm: Checksum.Algorithm, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> String {
    guard let place = FilePath(path) else {
      throw TransferFailure(.fileProblem, on: path, detail: "not the path of a file")
    }
    guard let digest = MessageDigest(algorithm) else {
      throw TransferFailure(
        .internalProblem, on: path, detail: "libcrypto does not offer \(algorithm.rawValue)")
    }
    do {
      let file = try Directory(place.directory).open(place.name, for: .read)
      guard try file.status().isRegular else {
        throw TransferFailure(.fileProblem, on: path, detail: "not a regular file")
      }
      return try hex(file, digest, path: path, shouldStop)
    } catch let failure as TransferFailure {
      throw failure
    } catch let error as Errno {
      throw error.failure(.file(path))
    } catch {
      throw TransferFailure(.internalProblem, on: path, detail: "\(error)")
    }
  }

  private func hex(
    _ file: OpenFile, _ digest: consuming MessageDigest, path: String,
    _ shouldStop: @Sendable () -> Bool
  ) throws -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      if shouldStop() { throw TransferFailure(.fileProblem, on: path, detail: "stopped") }
      let count = try file.read(into: buffer)
      if count == 0 { break }
      guard digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) else {
        throw TransferFailure(.internalProblem, on: path, detail: "the digest failed")
      }
    }
    guard let hex = digest.finish() else {
      throw TransferFailure(.internalProblem, on: path, detail: "the digest failed")
    }
    return hex
  }
}
