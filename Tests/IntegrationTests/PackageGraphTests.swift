import Foundation
import TestSupport
import Testing

/// The packages that SwiftPM finds for a program that uses the library. It rejects a graph in which
/// two packages have targets of the same name.
@Suite(.timeLimit(.minutes(10)))
final class PackageGraphTests {
  /// Names that Kettle's targets had before they got a prefix. Other packages use some of them:
  /// apple/swift-configuration has `Configuration`, and Apple's systems have `BackgroundTasks`.
  private static let formerNames = [
    "BackgroundTasks", "CCrypto", "CCurl", "CDelayedLibrary", "CLinux", "CNcurses", "Commands",
    "Configuration", "ConfigurationFiles", "ControlProtocol", "ControlSocket", "CurlTransport",
    "DashboardTerminal", "DashboardUI", "DemoOrigin", "DesktopAlerts", "DesktopBus", "MachineWatch",
    "NetworkWatch", "ProcessSpawn", "TransferClient", "TransferCore", "TransferDaemon",
    "TransferEngine", "TransferFiles", "TransferModel", "TransferStore",
  ]

  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  private let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  @Test func `a program can use Kettle beside a package with Kettle's former target names`()
    async throws
  {
    try writePackage("other", targets: Self.formerNames)
    try writeProgramBesideOther()
    let (code, output) = try await resolve()
    #expect(code == 0, "\(output)")
  }

  @Test func `a target name that two packages share is rejected`() async throws {
    try writePackage("other", targets: ["KettleModel"])
    try writeProgramBesideOther()
    let (code, output) = try await resolve()
    #expect(code != 0)
    #expect(output.contains("KettleModel"), "\(output)")
  }

  @Test func `a program that uses Kettle without traits gets no other package`() async throws {
    try writeProgram(
      packages: [".package(name: \"kettle\", path: \"\(root)\", traits: [])"],
      products: [".product(name: \"BackgroundTransfer\", package: \"kettle\")"])
    let (code, output) = try await resolve()
    #expect(code == 0, "\(output)")
    let files = FileManager.default
    #expect(try files.contentsOfDirectory(atPath: directory + "/program/.build/checkouts") == [])
    #expect(!files.fileExists(atPath: directory + "/program/Package.resolved"))
  }

  /// Follows the tutorial from an empty directory. `DocumentedProgramTests` compiles its program.
  @Test func `the commands of the tutorial make a package with one source file`() async throws {
    let tutorial = try String(
      contentsOfFile: root + "/Sources/BackgroundTransfer/Documentation.docc/TenMinutes.md",
      encoding: .utf8)
    // Between fences: every second piece.
    let blocks = tutorial.components(separatedBy: "\n```").enumerated()
      .filter { $0.offset % 2 == 1 }.map(\.element)
    let commands = try #require(blocks.first)
    let manifest = try #require(blocks.dropFirst().first)
    try write("set -e\n" + commands, to: "commands.sh")
    let code = try await run("/bin/sh", ["-c", "cd '\(directory)' && . ./commands.sh"]).code
    #expect(code == 0)
    #expect(manifest.contains("url: \"https://example.org/kettle.git\", from: \"0.1.0\""))
    try write(
      manifest.replacing(
        "url: \"https://example.org/kettle.git\", from: \"0.1.0\"",
        with: "name: \"kettle\", path: \"\(root)\""),
      to: "survivor/Package.swift")
    #expect(tutorial.contains("Write this into `Sources/survivor/main.swift`"))
    try write("import BackgroundTransfer\n", to: "survivor/Sources/survivor/main.swift")
    let (described, text) = try await run(
      "/usr/bin/env",
      ["swift", "package", "--package-path", directory + "/survivor", "describe", "--type", "json"])
    #expect(described == 0, "\(text)")
    let json = try #require(text.firstIndex(of: "{")).samePosition(in: text.utf8)
    let package = try JSONDecoder().decode(
      Described.self, from: Data(text.utf8[try #require(json)...]))
    #expect(package.targets.map(\.sources) == [["main.swift"]])
    #expect(package.targets.map(\.product_dependencies) == [["BackgroundTransfer"]])
  }

  private struct Described: Decodable {
    struct Target: Decodable {
      var sources: [String]
      var product_dependencies: [String]?
    }
    var targets: [Target]
  }

  /// Writes a library with one file for each target.
  private func writePackage(_ name: String, targets: [String]) throws {
    for target in targets {
      try write("public enum \(target)Value {}\n", to: "\(name)/Sources/\(target)/Value.swift")
    }
    let list = targets.map { ".target(name: \"\($0)\")" }.joined(separator: ", ")
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "\(name)", products: [.library(name: "Other", targets: \(targets))],
        targets: [\(list)])
      """, to: "\(name)/Package.swift")
  }

  /// Writes a program that uses Kettle and the other package. Local paths to the dependencies that
  /// the build has checked out take the place of their URLs, so nothing is fetched.
  private func writeProgramBesideOther() throws {
    let checkouts = try checkoutPaths()
    try #require(!checkouts.isEmpty)
    try writeProgram(
      packages: [".package(name: \"kettle\", path: \"\(root)\")", ".package(path: \"../other\")"]
        + checkouts.map { ".package(path: \"\($0)\")" },
      products: [
        ".product(name: \"BackgroundTransfer\", package: \"kettle\")",
        ".product(name: \"Other\", package: \"other\")",
      ])
  }

  /// Writes a program with dependencies, given as a manifest names them.
  private func writeProgram(packages: [String], products: [String]) throws {
    try write("print(1)\n", to: "program/Sources/program/main.swift")
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "program",
        dependencies: [\(packages.joined(separator: ", "))],
        targets: [
          .executableTarget(
            name: "program", dependencies: [\(products.joined(separator: ", "))])
        ])
      """, to: "program/Package.swift")
  }

  /// The checkouts of the build that these tests belong to.
  private func checkoutPaths() throws -> [String] {
    let files = FileManager.default
    var folder = URL(
      filePath: try files.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let checkouts = folder.path + "/checkouts"
      guard let names = try? files.contentsOfDirectory(atPath: checkouts) else { continue }
      return names.map { checkouts + "/" + $0 }
    }
    let checkouts = root + "/.build/checkouts"
    return try files.contentsOfDirectory(atPath: checkouts).map { checkouts + "/" + $0 }
  }

  private func write(_ text: String, to path: String) throws {
    let path = directory + "/" + path
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Loads the package graph without building anything.
  private func resolve() async throws -> (code: Int32, output: String) {
    try await run(
      "/usr/bin/env",
      ["swift", "package", "--package-path", directory + "/program", "show-dependencies"])
  }

  private func run(
    _ program: String, _ arguments: [String]
  ) async throws -> (code: Int32, output: String) {
    let output = directory + "/output"
    let running = try Running(
      program, arguments, ProcessInfo.processInfo.environment, output: output)
    let code = await running.end()
    return (code, try String(contentsOfFile: output, encoding: .utf8))
  }
}
