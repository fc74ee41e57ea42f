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
    let described = document.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("| `") else { return nil }
      return String(line.dropFirst(3).prefix { $0 != "`" })
    }
    #expect(described == ConfigurationKey.allCases.map(\.rawValue))
  }

  @Test func `the example in the documentation is parsed and has every key`() throws {
    let start = try #require(document.range(of: "```toml\n"))
    let end = try #require(document.range(of: "```", range: start.upperBound..<document.endIndex))
    let example = Array(document[start.upperBound..<end.lowerBound].utf8)
    #expect(ServiceConfiguration.read(example).1.isEmpty)
    let names = try TOMLReader.read(example).entries.map(\.name)
    #expect(Set(names) == Set(ConfigurationKey.allCases.map(\.rawValue)))
  }

  @Test func `the notice in the documentation is the real one`() {
    let sentence = ConfigurationProblem(.unknownKey("limits.transfer"), line: 5)
      .sentence(path: "/home/me/.config/kettle/config.toml")
    #expect(document.contains("Notice: " + sentence + "\n"))
  }
}
