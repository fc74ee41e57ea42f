import Glibc
import Testing

/// A temporary directory for one test, deleted with its contents when the test ends.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/kettle-files-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
    }
    path = try #require(made)
  }

  deinit { Self.remove(path) }

  static func remove(_ path: String) {
    guard let directory = opendir(path) else {
      unlink(path)
      return
    }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      let inner = path + "/" + name
      var status = stat()
      if lstat(inner, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        chmod(inner, 0o700)
        remove(inner)
      } else {
        unlink(inner)
      }
    }
    closedir(directory)
    rmdir(path)
  }
}

/// File operations that bypass the storage under test.
enum Disk {
  static func put(_ bytes: [UInt8], at path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
  }

  static func bytes(at path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return all }
      all += buffer.prefix(count)
    }
  }

  static func setModified(_ path: String, nanoseconds: Int64) {
    let time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
  }

  static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  static func mode(of path: String) -> mode_t? { status(of: path).map { $0.st_mode & 0o7777 } }
}
