import KettleClient
import KettleControl
import KettleDashboard
import KettleModel

/// Sends the requests of the add form to the service.
struct FormAdder {
  let service: any ServiceCalling
  let filesAreHere: Bool

  /// Returns how many were added, and the first of them. Throws `PartialAddError` with that count
  /// if it fails midway.
  func add(_ specs: [TransferSpec]) async throws -> (count: Int, first: TransferID?) {
    let specs = try resolved(specs)
    var count = 0
    var first: TransferID?
    do {
      for batch in TransferAdder.batches(specs) {
        let ids = try await TransferAdder(service: service).add(batch)
        first = first ?? ids.first
        count += ids.count
      }
    } catch {
      throw count == 0 ? error : PartialAddError(count: count, error: error)
    }
    return (count, first)
  }

  /// Returns the specs with the directories as the service needs them, after checking that each
  /// exists: a missing directory is better reported while the form is open than by a failed
  /// transfer.
  private func resolved(_ specs: [TransferSpec]) throws -> [TransferSpec] {
    guard filesAreHere else { return specs }
    var paths: [String: String] = [:]
    for directory in Set(specs.compactMap(\.directory)) {
      paths[directory] = try ArgumentPath.writableDirectory(directory, from: "/").get()
    }
    return specs.map { spec in
      var spec = spec
      spec.directory = spec.directory.map { paths[$0] ?? $0 }
      return spec
    }
  }

  /// Returns, for each URL on the list, the first transfer with it.
  func find(_ urls: [String]) async throws -> [String: DuplicateSearch.Found] {
    try await ListedURLs(service: service).find(urls).mapValues {
      .init(id: $0.id, state: $0.state)
    }
  }
}

/// An error that occurred after some transfers had been added.
struct PartialAddError: Error {
  var count: Int
  var error: any Error
}
