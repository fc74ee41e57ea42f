import Glibc
import KettleSystem

/// The user's configuration file on disk.
package struct ConfigurationFile: Sendable {
  package static let byteCountMax = 1 << 20
  /// Bounds the notices, because a file that is not a configuration would fill the status.
  package static let noticeCountMax = 10

  package let path: String

  package init(path: String) { self.path = path }

  /// Returns the service's configuration, with one sentence for each setting that has no effect. A
  /// missing file is not a problem.
  package func serviceConfiguration() -> (ServiceConfiguration, notices: [String]) {
    read(ServiceConfiguration.read, else: ServiceConfiguration(), for: .service)
  }

  /// Returns the dashboard's configuration, with one sentence for each setting that has no effect.
  package func dashboardConfiguration() -> (DashboardConfiguration, notices: [String]) {
    read(DashboardConfiguration.read, else: DashboardConfiguration(), for: .dashboard)
  }

  private func read<Value>(
    _ parse: ([UInt8]) -> (Value, [ConfigurationProblem]), else none: Value,
    for reader: ConfigurationReader
  ) -> (Value, notices: [String]) {
    switch contents() {
    case .success(let bytes):
      let (value, problems) = parse(bytes)
      let told = problems.prefix(Self.noticeCountMax)
      return (value, told.map { $0.sentence(path: path, for: reader) })
    case .failure(let problem):
      return (none, problem.map { [$0.sentence(path: path, for: reader)] } ?? [])
    }
  }

  private enum Contents {
    case success([UInt8])
    /// nil if there is no file.
    case failure(ConfigurationProblem?)
  }

  private func contents() -> Contents {
    // A pipe in its place must not block the service.
    guard let file = OwnedDescriptor(opened: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
      if errno == ENOENT || errno == ENOTDIR { return .failure(nil) }
      return unreadable(Self.text(ofCode: errno))
    }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
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
        Glibc.read(file.number, $0.baseAddress?.advanced(by: start), $0.count - start)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { return unreadable(Self.text(ofCode: errno)) }
      if got == 0 { break }
      count += got
    }
    return .success(Array(bytes.prefix(count)))
  }

  private func unreadable(_ detail: String) -> Contents {
    .failure(ConfigurationProblem(.unreadable(detail)))
  }

  /// Returns the system's message for an errno value (strerror_r(3)).
  private static func text(ofCode code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
