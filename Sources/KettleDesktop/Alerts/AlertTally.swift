import KettleModel

/// Transfers with the same outcome: their count, and the names of the first few.
struct AlertTally: Hashable, Sendable {
  static let namedCountMax = 3
  /// Transfers beyond these are only counted, not known individually.
  static let knownCountMax = 10_000
  private static let nameCharacterCountMax = 80
  private static let sentenceCharacterCountMax = 400

  private struct Named: Hashable, Sendable {
    var id: TransferID
    var name: String
    var subtitle: String?
    var sentence: String?
  }

  private var named: [Named] = []
  private var known: Set<TransferID> = []
  private var unknownCount = 0

  var count: Int { known.count + unknownCount }
  var isEmpty: Bool { count == 0 }

  mutating func add(_ row: TransferSnapshot) {
    guard known.count < Self.knownCountMax else {
      unknownCount += 1
      return
    }
    guard known.insert(row.id).inserted, named.count < Self.namedCountMax else { return }
    named.append(
      Named(
        id: row.id, name: row.title.sanitizedForDisplay(limit: Self.nameCharacterCountMax),
        subtitle: row.shownSubtitle?.sanitizedForDisplay(limit: Self.nameCharacterCountMax),
        sentence: row.problemSentence?.sanitizedForDisplay(
          limit: Self.sentenceCharacterCountMax)))
  }

  /// Removes a transfer that is under way again.
  mutating func remove(_ id: TransferID) {
    guard known.remove(id) != nil else { return }
    named.removeAll { $0.id == id }
  }

  /// What went wrong, if there is exactly one transfer.
  var sentence: String? { count == 1 ? named.first?.sentence : nil }

  /// The subtitle, if there is exactly one transfer.
  var subtitle: String? { count == 1 ? named.first?.subtitle : nil }

  /// `a.iso, b.iso, c.iso and 2 more`
  var list: String {
    guard !named.isEmpty else { return "" }
    let names = named.map(\.name).joined(separator: ", ")
    return count > named.count
      ? "\(names) and \(AlertText.number(count - named.count)) more" : names
  }
}
