import FoundationEssentials
import KettleModel

/// What the demo's origin serves, as its service writes it into the home.
struct DemoFileList: Hashable, Sendable, Decodable {
  struct Item: Hashable, Sendable, Decodable {
    var title: String
    /// Begins with a slash.
    var path: String
    var bytes: Int64
    /// The digest that verifies the finished file.
    var sha256: String?
  }

  /// For example `http://127.0.0.1:40123`.
  var origin: String
  var items: [Item]

  init(readingFrom home: DemoHome) throws(DemoProblem) {
    guard
      let bytes = try? ArgumentPath.contents(of: home.cataloguePath, byteCountMax: 1 << 20),
      let catalogue = try? JSONDecoder().decode(DemoFileList.self, from: Data(bytes)),
      !catalogue.items.isEmpty, catalogue.specs.count == catalogue.items.count
    else { throw .catalogueUnusable(path: home.cataloguePath) }
    self = catalogue
  }

  /// Added but not started: the user of the demo starts them.
  var specs: [TransferSpec] {
    items.compactMap { item in
      guard case .success(let parsed) = TransferURL.parse(origin + item.path) else { return nil }
      var spec = TransferSpec(url: parsed.url)
      spec.title = item.title
      spec.checksum = item.sha256.flatMap { Checksum(algorithm: .sha256, hex: $0) }
      spec.beginning = .idle
      return spec
    }
  }

  /// Whether the URL belongs to a previous origin of the demo: after the service is killed, the
  /// next one uses another port.
  func isOutdated(_ url: String) -> Bool {
    url.hasPrefix("http://127.0.0.1:") && !url.hasPrefix(origin + "/")
  }
}
