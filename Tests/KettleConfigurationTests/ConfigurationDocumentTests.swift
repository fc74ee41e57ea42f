import Foundation
import Testing

@testable import KettleConfiguration

/// Compares docs/configuration.md with the keys.
struct ConfigurationDocumentTests {
  private let document: String

  init() throws {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    document = try String(
      contentsOf: here.appending(path: "../../docs/configuration.md").standardizedFileURL,
      encoding: .utf8)
  }

  @Test func `the documentation describes every key and nothing else`() {
    let described = document.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    let rows =
      rows(ConfigurationKeys.service, standard: ServiceConfiguration())
      + rows(ConfigurationKeys.queues, standard: ServiceConfiguration.Queue())
      + rows(ConfigurationKeys.limitSchedule, standard: ServiceConfiguration.ScheduledLimit())
      + rows(ConfigurationKeys.dashboard, standard: DashboardConfiguration())
    #expect(
      described == rows,
      "Write these rows to docs/configuration.md:\n\(rows.joined(separator: "\n"))")
  }

  /// The rows of the table of some keys.
  ///
  /// - Parameter standard: what an empty file sets.
  private func rows<Settings>(
    _ keys: [ConfigurationKey<Settings>], standard: Settings
  ) -> [String] {
    keys.map { key in
      "| `\(key.name)` | \(key.meaning) | \(key.expectation) | \(key.standard(in: standard)) |"
    }
  }

  @Test func `the example in the documentation is parsed and has every key`() throws {
    let example = try example()
    #expect(ServiceConfiguration.read(example).1.isEmpty)
    let names = try TOMLReader.read(example).entries.map(\.name)
    #expect(Set(names) == Set(ConfigurationKeys.service.map(\.name)))
  }

  @Test func `the numbers and switches in the example are the defaults`() throws {
    for entry in try TOMLReader.read(try example()).entries {
      let value: String
      switch entry.value {
      case .integer(let number): value = "\(number)"
      case .boolean(let isOn): value = "\(isOn)"
      case .string, .array, .unquoted: continue
      }
      let key = try #require(ConfigurationKeys.service.first { $0.name == entry.name })
      let standard = key.standard(in: ServiceConfiguration()).prefix { $0 != "," }
      #expect(standard == value, "\(entry.name)")
    }
  }

  private func example() throws -> [UInt8] {
    let start = try #require(document.range(of: "```toml\n"))
    let end = try #require(document.range(of: "```", range: start.upperBound..<document.endIndex))
    return Array(document[start.upperBound..<end.lowerBound].utf8)
  }

  @Test func `the notice in the documentation is the real one`() {
    let sentence = ConfigurationProblem(.unknownKey("limits.transfer"), line: 5)
      .sentence(path: "/home/me/.config/kettle/config.toml")
    #expect(document.contains("Notice: " + sentence + "\n"))
  }
}
