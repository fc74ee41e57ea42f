import Foundation
import KettleModel
import Testing

@testable import BackgroundTransfer

struct DownloadOptionsTests {
  private let digest = String(repeating: "ab", count: 32)

  private func mirrors(_ texts: String...) -> [URL] { texts.compactMap { URL(string: $0) } }

  @Test func `the options reach the service with the task`() throws {
    let world = try SessionWorld()
    var options = DownloadOptions()
    options.checksum = "sha256:" + digest
    options.mirrors = mirrors("https://one.example/b", "http://two.example/b")
    options.bytesPerSecondMax = 5000
    options.priority = 0.75
    options.onConflict = .skip
    let task = world.session.downloadTask(
      with: URLRequest(url: SessionWorld.url), to: URL(filePath: "/books/b.pdf"), options: options)
    task.resume()
    let spec = try world.service.added(1)
    #expect(spec.checksum?.text == "sha256:" + digest)
    #expect(spec.options.mirrors.map(\.text) == options.mirrors.map(\.absoluteString))
    #expect(spec.limitBytesPerSecond == 5000)
    #expect(spec.priority.value == 0.75)
    #expect(spec.onConflict == .skip)
    #expect(spec.directory == "/books")
    #expect(task.priority == 0.75)
  }

  @Test func `without a destination the file is for the delegate`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(
      with: URLRequest(url: SessionWorld.url), options: DownloadOptions())
    task.resume()
    #expect(try world.service.added(1).name == nil)
  }

  @Test func `options that mean nothing make the task fail, and name the mistake`() throws {
    let mistakes: [(inout DownloadOptions) -> Void] = [
      { $0.checksum = "sha256:12" }, { $0.mirrors = [URL(filePath: "/b")] },
      { $0.bytesPerSecondMax = 0 }, { $0.priority = 2 },
    ]
    for (mistake, name) in zip(mistakes, ["checksum", "mirror", "bytesPerSecondMax", "priority"]) {
      let world = try SessionWorld()
      var options = DownloadOptions()
      mistake(&options)
      let task = world.session.downloadTask(
        with: URLRequest(url: SessionWorld.url), options: options)
      task.resume()
      #expect(world.recorder.wait(for: "completed -1 -1000"))
      #expect(task.error?.localizedDescription.contains("(\(name) ") == true)
    }
  }

  @Test func `the program is launched by default unless a person started it`() {
    let program = LaunchCommand(
      executablePath: ServiceExecutable.ownPath,
      arguments: Array(CommandLine.arguments.dropFirst()),
      directory: FileManager.default.currentDirectoryPath)
    typealias Launch = URLSessionConfiguration.Launch
    #expect(Launch.automatic.command(isStartedByPerson: false) == program)
    #expect(Launch.automatic.command(isStartedByPerson: true) == nil)
    #expect(Launch.ownProgram.command(isStartedByPerson: true) == program)
    #expect(Launch.noLaunch.command(isStartedByPerson: false) == nil)
  }
}
