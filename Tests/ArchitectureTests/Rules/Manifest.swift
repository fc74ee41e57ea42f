/// The dependencies in Package.swift, parsed from its text.
struct Manifest {
  /// By target, the names of targets, products and C modules that it depends on.
  private(set) var dependencies: [String: Set<String>] = [:]

  init(_ file: SourceText) {
    let text = file.lines.joined(separator: "\n")
    var products: [String: String] = [:]
    for match in text.matches(of: /let (\w+) = Target\.Dependency\.product\(\s*name: "(\w+)"/) {
      products[String(match.1)] = String(match.2)
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
        if let product = products[String(word.1)] { names.insert(product) }
      }
      // Programs in one folder share a row of the import table.
      let folder = match.2.firstMatch(of: /path: "(Examples|Benchmarks)\//)?.1 ?? match.1
      dependencies[String(folder), default: []].formUnion(names)
    }
  }
}
