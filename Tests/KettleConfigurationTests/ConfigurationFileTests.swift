import Foundation
import Glibc
import KettleConfiguration
import Testing

@testable import KettleConfiguration

final class ConfigurationFileTests {
  private let path: String

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.path + "/config.toml"
  }

  deinit {
    try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
  }

  private func read(_ text: String) throws -> (ServiceConfiguration, [String]) {
    try Data(text.utf8).write(to: URL(filePath: path))
    return ConfigurationFile(path: path).serviceConfiguration()
  }

  @Test func `no file is no problem`() {
    for path in [path, "/no/such/directory/config.toml", "/dev/null/config.toml"] {
      let (configuration, notices) = ConfigurationFile(path: path).serviceConfiguration()
      #expect(configuration == ServiceConfiguration())
      #expect(notices.isEmpty)
    }
  }

  @Test func `what stands in it holds, and what is wrong is a notice with file and line`() throws {
    let (configuration, notices) = try read("[limits]\ntransfers = 3\nrate = 7\n")
    #expect(configuration.transfersMax == 3)
    #expect(
      notices == [
        "The value of \"limits.rate\" in line 3 of \"\(path)\" must be a rate in quotes, such as "
          + "\"500K\", \"1.5M\" or \"none\"; "
          + "correct it and restart the service with \"kettle daemon stop\""
      ])
  }

  @Test func `the dashboard is told to start again, the service to be restarted`() throws {
    try Data("[keys]\nstart = 7\n[limits]\ntransfers = 0\n".utf8).write(to: URL(filePath: path))
    let file = ConfigurationFile(path: path)
    #expect(file.dashboardConfiguration().notices.count == 1)
    #expect(
      file.dashboardConfiguration().notices.first?.hasPrefix(
        "The value of \"keys.start\" in line 2 of \"\(path)\" must be ") == true)
    #expect(
      file.dashboardConfiguration().notices.first?.hasSuffix("start the dashboard again") == true)
    #expect(file.serviceConfiguration().notices.count == 1)
    #expect(file.serviceConfiguration().notices.first?.contains("\"limits.transfers\"") == true)
  }

  @Test func `a file that is something else altogether does not fill the status`() throws {
    let (_, notices) = try read((0..<1000).map { "k\($0) = 1\n" }.joined())
    #expect(notices.count == 10)
  }

  @Test func `a pipe, a directory and a file of any size do not hold it up`() throws {
    try #require(mkfifo(path, 0o600) == 0)
    #expect(
      ConfigurationFile(path: path).serviceConfiguration().notices.first?.contains(
        "it is not a file")
        == true)
    let directory = (path as NSString).deletingLastPathComponent
    #expect(
      ConfigurationFile(path: directory).serviceConfiguration().notices.first?.contains(
        "it is not a file") == true)
    unlink(path)
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try #require(truncate(path, 1 << 40) == 0)
    #expect(
      ConfigurationFile(path: path).serviceConfiguration().notices.first?.contains(
        "it has more than 1 MiB") == true
    )
  }
}
