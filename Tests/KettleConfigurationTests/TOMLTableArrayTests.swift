import SeededNumbers
import Testing

@testable import KettleConfiguration

struct TOMLTableArrayTests {
  private func read(_ text: String) throws -> TOMLDocument {
    try TOMLReader.read(Array(text.utf8))
  }

  @Test func `elements are numbered from one, and their keys have the number in the name`() throws {
    let document = try read(
      "[[rules]]\nhost = 'a'\n[limits]\nrate = 1\n[[rules]] # none\n\n[[ rules ]]\nhost.b = 2\n")
    #expect(
      document.entries.map(\.name) == ["rules.1.host", "limits.rate", "rules.3.host.b"])
    let elements = [(1, 1), (2, 5), (3, 7)].map {
      TOMLElement(array: "rules", number: $0.0, line: $0.1)
    }
    #expect(document.elements == elements)
    #expect(document.entries.map(\.element) == [elements[0], nil, elements[2]])
    #expect(document.entries.last.map(elements[2].key(of:)) == "host.b")
  }

  @Test func `an array of tables can be within a table that is defined before or after it`() throws
  {
    let names = ["limits.rate", "limits.schedule.1.from", "limits.schedule.2.from"]
    #expect(
      try read(
        "[limits]\nrate = 1\n[[limits.schedule]]\nfrom = 1\n[[limits.schedule]]\nfrom = 2"
      ).entries.map(\.name) == names)
    #expect(
      try read("[[limits.schedule]]\nfrom = 1\n[limits]\nrate = 1").entries.map(\.name)
        == ["limits.schedule.1.from", "limits.rate"])
    #expect(
      try read("limits.rate = 1\n[[limits.schedule]]\nfrom = 1").entries.map(\.name)
        == ["limits.rate", "limits.schedule.1.from"])
  }

  /// The example of an array within an array in TOML 1.0.
  @Test func `tables below an element belong to the last one`() throws {
    let document = try read(
      """
      [[fruits]]
      name = "apple"
      [fruits.physical]
      color = "red"
      [[fruits.varieties]]
      name = "red delicious"
      [[fruits.varieties]]
      name = "granny smith"
      [[fruits]]
      name = "banana"
      [[fruits.varieties]]
      name = "plantain"
      """)
    #expect(
      document.entries.map(\.name) == [
        "fruits.1.name", "fruits.1.physical.color", "fruits.1.varieties.1.name",
        "fruits.1.varieties.2.name", "fruits.2.name", "fruits.2.varieties.1.name",
      ])
    #expect(
      document.entries.map { $0.element?.array } == [
        "fruits", nil, "fruits.1.varieties", "fruits.1.varieties", "fruits", "fruits.2.varieties",
      ])
  }

  @Test func `a table with a number as its name is no element`() throws {
    let entry = try #require(try read("[rules.1]\nhost = 'a'").entries.first)
    #expect(entry.name == "rules.1.host")
    #expect(entry.element == nil)
  }

  /// A simple model of the names in a file with headers and plain keys only.
  @Test func `names are as counted by hand`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("TOML array seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var text = ""
      var names: [String] = []
      var counts: [String: Int] = [:]
      for line in 0..<Int.random(in: 1...20, using: &random) {
        let array = ["rules", "limits.schedule"][Int.random(in: 0...1, using: &random)]
        let isNew = counts.isEmpty || Bool.random(using: &random)
        if isNew {
          counts[array, default: 0] += 1
          text += "[[\(array)]]\n"
        }
        text += "[t\(line)]\nk\(line) = \(line)\n"
        names.append("t\(line).k\(line)")
        counts[array, default: 0] += 1
        text += "[[\(array)]]\nk\(line) = \(line)\n"
        names.append("\(array).\(counts[array] ?? 0).k\(line)")
      }
      let document = try read(text)
      #expect(document.entries.map(\.name) == names, "seed \(seed)")
      #expect(document.elements.count == counts.values.reduce(0, +), "seed \(seed)")
    }
  }
}
