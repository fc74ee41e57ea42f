import KettleClient
import KettleControl

/// Finds the URLs that are on the list already.
struct ListedURLs {
  let service: any ServiceCalling

  /// Returns, for each URL on the list, the first transfer with it.
  func find(_ urls: [String]) async throws -> [String: FindURLs.Found] {
    var found: [String: FindURLs.Found] = [:]
    for batch in Self.batches(urls) where !batch.isEmpty {
      let result = try await service.call(FindURLs.self, .init(urls: batch))
      for one in result.found { found[one.url] = one }
    }
    return found
  }

  /// Splits the URLs into batches that fit into one message, by count and by length.
  private static func batches(_ urls: [String]) -> [[String]] {
    var batches: [[String]] = [[]]
    var byteCount = 0
    for url in urls {
      byteCount += url.utf8.count
      if batches[batches.count - 1].count == FindURLs.countMax
        || byteCount > TransferAdder.batchByteCount
      {
        batches.append([])
        byteCount = url.utf8.count
      }
      batches[batches.count - 1].append(url)
    }
    return batches
  }
}
