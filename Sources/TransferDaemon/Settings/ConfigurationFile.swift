import Configuration
import ControlSocket
import Glibc

/// The user's configuration file on the disk.
struct ConfigurationFile {
  static let byteCountMax = 1 << 20
  /// A file that is something else altogether would fill the status.
  static let noticeCountMax = 10

  let path: String

  /// What holds, and a sentence for each thing that does not. No file is no problem.
  func read() -> (ServiceConfiguration, notices: [String]) {
    let bytes: [UInt8]
    switch contents() {
    case .success(let read): bytes = read
    case .failure(let problem):
      return (ServiceConfiguration(), problem.map { [$0.sentence(path: path)] } ?? [])
    }
    let (configuration, problems) = ServiceConfiguration.read(bytes)
    return (
      configuration, problems.prefix(Self.noticeCountMax).map { $0.sentence(path: path) }
    )
  }

  private enum Contents {
    case success([UInt8])
    /// nil when there is no file.
    case failure(ConfigurationProblem?)
  }

  private func contents() -> Contents {
    // A pipe in its place must not hold up the service.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .failure(nil) }
      return unreadable(ControlSocketError.text(ofCode: errno))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return unreadable("it is not a file")
    }
    guard status.st_size <= Self.byteCountMax else {
      return unreadable("it has more than \(Self.byteCountMax >> 20) MiB")
    }
    var bytes = [UInt8](repeating: 0, count: Self.byteCountMax)
    var count = 0
    while count < bytes.count {
      let start = count
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { return unreadable(ControlSocketError.text(ofCode: errno)) }
      if got == 0 { break }
      count += got
    }
    return .success(Array(bytes.prefix(count)))
  }

  private func unreadable(_ detail: String) -> Contents {
    .failure(ConfigurationProblem(.unreadable(detail)))
  }
}
