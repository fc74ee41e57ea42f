import KettleControl
import KettleDashboard
import KettleClient
import KettleModel

/// What the add form asks of the service.
struct FormAdding {
  let service: any ServiceCalling
  let filesAreHere: Bool

  /// Says how many were added when it goes wrong on the way.
  func add(_ specs: [TransferSpec]) async throws -> Int {
    let specs = try placed(specs)
    var count = 0
    do {
      for batch in Adding.batches(specs) {
        count += try await Adding(service: service).add(batch).count
      }
    } catch {
      throw count == 0 ? error : AddedInPart(count: count, error: error)
    }
    return count
  }

  /// The directories as the service must have them, after a look at each: a directory that is not
  /// there is better told while the form is open than by a transfer that fails.
  private func placed(_ specs: [TransferSpec]) throws -> [TransferSpec] {
    guard filesAreHere else { return specs }
    var resolved: [String: String] = [:]
    for directory in Set(specs.compactMap(\.directory)) {
      resolved[directory] = try FilePlace.writableDirectory(directory, from: "/").get()
    }
    return specs.map { spec in
      var spec = spec
      spec.directory = spec.directory.map { resolved[$0] ?? $0 }
      return spec
    }
  }

  /// The first transfer with each URL that is in the list.
  func find(_ urls: [String]) async throws -> [String: DuplicateSearch.Found] {
    var found: [String: DuplicateSearch.Found] = [:]
    for batch in Self.batches(urls) {
      let result = try await service.call(FindURLs.self, .init(urls: batch))
      for one in result.found { found[one.url] = .init(id: one.id, state: one.state) }
    }
    return found
  }

  /// Not more, and not longer, than the service takes as one message.
  private static func batches(_ urls: [String]) -> [[String]] {
    var batches: [[String]] = [[]]
    var byteCount = 0
    for url in urls {
      byteCount += url.utf8.count
      if batches[batches.count - 1].count == FindURLs.countMax || byteCount > Adding.batchByteCount
      {
        batches.append([])
        byteCount = url.utf8.count
      }
      batches[batches.count - 1].append(url)
    }
    return batches
  }
}

/// Some were added before it went wrong.
struct AddedInPart: Error {
  var count: Int
  var error: any Error
}
