import KettleConfiguration
import Testing

@testable import KettleCommands

struct ManualPagesTests {
  /// Made once: the parser's description of all commands takes a second.
  private static let allPages = Result {
    try CommandPages(date: "2026-11-21").all + [ConfigurationPage.page(date: "2026-11-21")]
  }

  private let pages: [String: String]

  init() throws {
    let all = try Self.allPages.get()
    pages = Dictionary(uniqueKeysWithValues: all.map { ($0.fileName, $0.text) })
  }

  @Test func `kettle and each visible command have a page, hidden commands have none`() {
    let commands = CommandNames.shown
    #expect(commands.count > 20)
    #expect(
      Set(pages.keys)
        == Set(["kettle.1", "kettle-config.5"] + commands.map { "kettle-\($0).1" }))
  }

  @Test func `a page names every option of --help-hidden`() async {
    for command in CommandNames.all where pages["kettle-\(command).1"] != nil {
      let help = await FakeContext().run(command, "--help-hidden").output
      let page = pages["kettle-\(command).1"] ?? ""
      let names = Self.optionNames(in: help)
      #expect(names.contains("--help"), "\(command)")
      for name in names where name != "--help-hidden" {
        #expect(page.contains("Fl \(name.dropFirst())"), "\(command) \(name)")
      }
    }
  }

  @Test func `the page of kettle refers to every other page`() throws {
    let page = try #require(pages["kettle.1"])
    for name in pages.keys where name != "kettle.1" {
      let parts = name.split(separator: ".")
      #expect(page.contains(".Xr \(parts[0]) \(parts[1])"), "\(name)")
    }
  }

  @Test func `the configuration page has every key with what it accepts`() throws {
    let page = try #require(pages["kettle-config.5"])
    for key in ConfigurationKeys.service {
      #expect(page.contains(".It Ic \(key.name)\n"), "\(key.name)")
      let expectation = ManualSource.escaped(key.expectation, isInMacro: false)
      #expect(page.contains("Accepts \(expectation)."), "\(key.name)")
    }
  }

  @Test func `no line ends with a blank, and a description has neither capital nor full stop`() {
    for (name, page) in pages {
      for line in page.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
        #expect(!line.hasSuffix(" "), "\(name): \(line)")
        if line.hasPrefix(".Nd ") {
          #expect(!line.hasSuffix("."), "\(name): \(line)")
          #expect(line.dropFirst(4).first?.isLowercase == true, "\(name): \(line)")
        }
      }
    }
  }

  /// The words of the option lists that begin with two dashes.
  private static func optionNames(in help: String) -> Set<String> {
    var names: Set<String> = []
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      // The help text begins after two spaces.
      let term = line.dropFirst(2).split(separator: "  ").first ?? ""
      for word in term.split(whereSeparator: { " ,/".contains($0) }) where word.hasPrefix("--") {
        names.insert(String(word))
      }
    }
    return names
  }
}
