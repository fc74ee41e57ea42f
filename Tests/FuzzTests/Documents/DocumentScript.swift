import SeededNumbers

/// A Metalink that may say something else each time it is read, and the servers that it names.
///
/// The servers tell the truth about what they send; which version of the file each has is theirs.
struct DocumentScript: Hashable, Sendable, Codable {
  /// The sizes of the two versions of the file.
  var byteCounts = [150_000, 150_000]
  /// The most connections that the download may use.
  var connections = 4
  /// What the Metalink says each time it is requested; the last one stays.
  var readings = [Reading()]
  var mirrors = [Mirror(), Mirror(), Mirror()]

  struct Reading: Hashable, Sendable, Codable {
    /// The servers in their order; the Metalink itself for a number that none of them has.
    var sources = [0, 1, 2]
    /// The version whose size it says; nil for none.
    var sizeOf: Int?
    /// The version whose digest it says; nil for none.
    var digestOf: Int?
    var name = "a.iso"
  }

  struct Mirror: Hashable, Sendable, Codable {
    /// 0 or 1.
    var version = 0
    /// How it answers its first requests.
    var statuses: [Int] = []
    var framing = Framing.length
    var honoursRanges = true
    var hasTag = true
    /// How many bytes of each body arrive before the connection breaks; nil for all.
    var cutsAfter: Int?

    enum Framing: String, Hashable, Sendable, Codable, CaseIterable {
      case length, chunked
      /// Without a cut: one would not show.
      case untilClose
    }
  }
}

extension DocumentScript {
  static let samples = [
    DocumentScript(),
    DocumentScript(readings: [Reading(sizeOf: 0, digestOf: 0)]),
    DocumentScript(
      byteCounts: [150_000, 149_000], readings: [Reading(sizeOf: 0)],
      mirrors: [Mirror(version: 1), Mirror(), Mirror(version: 1)]),
    DocumentScript(readings: [Reading(sources: [9, 0]), Reading(sources: [1, 9])]),
  ]

  private static let sizes = [1, 4096, 65_536, 70_000, 150_000, 300_000]
  private static let names = ["a.iso", ".bash_aliases", "-rf", "..", "", "x/y", "~"]

  func mutated(_ random: inout SeededGenerator) -> DocumentScript {
    var script = self
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func version() -> Int? { [0, 1, nil].randomElement(using: &random) ?? nil }
    switch number(0...5) {
    case 0: script.byteCounts[number(0...1)] = Self.sizes.randomElement(using: &random) ?? 1
    case 1: script.connections = number(1...8)
    case 2 where script.readings.count < 8:
      script.readings.insert(Reading(), at: number(0...script.readings.count))
    case 2, 3:
      guard let index = script.readings.indices.randomElement(using: &random) else { break }
      switch number(0...3) {
      case 0: script.readings[index].sources = (0...number(0...4)).map { _ in number(0...4) }
      case 1: script.readings[index].sizeOf = version()
      case 2: script.readings[index].digestOf = version()
      default: script.readings[index].name = Self.names.randomElement(using: &random) ?? ""
      }
    default:
      guard let index = script.mirrors.indices.randomElement(using: &random) else { break }
      script.mirrors[index].mutate(&random)
    }
    return script
  }

  /// The same with less in it.
  var simplifications: [DocumentScript] {
    var all: [DocumentScript] = []
    func add(_ change: (inout DocumentScript) -> Void) {
      var script = self
      change(&script)
      if script != self { all.append(script) }
    }
    add { $0.connections = 1 }
    for index in readings.indices {
      if readings.count > 1 { add { $0.readings.remove(at: index) } }
      add { $0.readings[index] = Reading(sources: readings[index].sources) }
      if readings[index].sources.count > 1 { add { $0.readings[index].sources.removeLast() } }
    }
    for index in mirrors.indices {
      add { $0.mirrors[index] = Mirror(version: mirrors[index].version) }
    }
    return all
  }
}

extension DocumentScript.Mirror {
  fileprivate mutating func mutate(_ random: inout SeededGenerator) {
    switch Int.random(in: 0...5, using: &random) {
    case 0: version = 1 - version
    case 1:
      let count = Int.random(in: 0...3, using: &random)
      statuses = (0..<count).map { _ in [404, 500, 503, 403].randomElement(using: &random) ?? 404 }
    case 2: framing = Framing.allCases.randomElement(using: &random) ?? .length
    case 3: honoursRanges.toggle()
    case 4: hasTag.toggle()
    default: cutsAfter = [nil, 0, 1000, 70_000].randomElement(using: &random) ?? nil
    }
    if framing == .untilClose { cutsAfter = nil }
  }
}
