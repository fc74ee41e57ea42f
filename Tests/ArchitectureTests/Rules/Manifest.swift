/// The dependencies in Package.swift, parsed from its text.
struct Manifest {
  /// By target, the names of targets, products and C modules that it depends on.
  private(set) var dependencies: [String: Set<String>] = [:]
  /// The products of other packages.
  private(set) var products: Set<String> = []

  init(_ file: SourceText) {
    let text = file.lines.joined(separator: "\n")
    // What a trait includes has the name of a constant.
    var conditional: [String: String] = [:]
    for match in text.matches(of: /let (\w+) = (outside|onlyInFleets)\("(\w+)"/) {
      conditional[String(match.1)] = String(match.3)
      if match.2 == "outside" { products.insert(String(match.3)) }
    }
    for match in text.matches(of: /\.systemLibrary\(name: "(\w+)"\)/) {
      dependencies[String(match.1)] = []
    }
    // C targets do not use our function `target`.
    let target = /(?:\n    \.?target|\.executableTarget)\(\s*(?:name: )?"([\w-]+)"([^\)]*)\)/
    for match in text.matches(of: target) {
      // A program that only tests start has no row of its own.
      if match.2.contains("path: \"Tests/") { continue }
      let list = match.2.prefix { $0 != "]" }
      var names = Set(list.matches(of: /"(\w+)"/).map { String($0.1) })
      for word in list.matches(of: /\b(\w+)\b/) {
        if let name = conditional[String(word.1)] { names.insert(name) }
      }
      // Programs in one folder share a row of the import table.
      let folder = match.2.firstMatch(of: /path: "(Examples|Benchmarks)\//)?.1 ?? match.1
      dependencies[String(folder), default: []].formUnion(names)
    }
  }

  /// Returns what a target depends on, directly or through others.
  func allDependencies(of target: String) -> Set<String> {
    var found: Set<String> = []
    var next = dependencies[target, default: []]
    while let name = next.popFirst() {
      guard found.insert(name).inserted else { continue }
      next.formUnion(dependencies[name, default: []])
    }
    return found
  }
}
