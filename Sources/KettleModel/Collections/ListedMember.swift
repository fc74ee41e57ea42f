/// A file of a collection, as its source lists it.
public struct ListedMember: Hashable, Sendable, Codable {
  // Sorted by name, because they are encoded in that order.
  /// nil if the source does not say it.
  public var byteCount: Int64?
  public var checksum: Checksum?
  /// Other URLs of the file, the best ones first.
  public private(set) var mirrors: [TransferURL]?
  public var path: MemberPath
  /// What else the source says of this version of the file, such as its date or an ETag. Only
  /// compared with what the same source says later.
  public var stamp: String?
  public var url: TransferURL

  public init(
    path: MemberPath, url: TransferURL, byteCount: Int64? = nil, checksum: Checksum? = nil,
    stamp: String? = nil, mirrors: [TransferURL] = []
  ) {
    self.path = path
    self.url = url
    let others = mirrors.filter { $0 != url }.prefix(TransferOptions.mirrorCountMax)
    self.mirrors = others.isEmpty ? nil : Array(others)
    self.byteCount = byteCount
    self.checksum = checksum
    self.stamp = stamp.map { stamp in
      // An index within a character's bytes is rounded down.
      stamp.utf8.index(
        stamp.startIndex, offsetBy: Self.stampByteCountMax, limitedBy: stamp.endIndex
      ).map { String(stamp[..<$0]) } ?? stamp
    }
  }

  static let stampByteCountMax = 128

  /// Returns the file with the mirrors that may be used.
  package func keepingMirrors(where isUsed: (TransferURL) -> Bool) -> ListedMember {
    guard let mirrors else { return self }
    let kept = mirrors.filter(isUsed)
    var member = self
    member.mirrors = kept.isEmpty ? nil : kept
    return member
  }
}

/// How a file of a later list differs from a collection.
public enum MemberChange: String, Hashable, Sendable, Codable, CaseIterable {
  /// The collection has no file of this path.
  case new
  /// The digest, the size or what else the source says is another one.
  case changed
  /// The later list does not name it.
  case gone
}

/// A file that differs between a collection and a later list of the same source.
package struct ChangedMember: Hashable, Sendable, Codable {
  /// In the later list; of a file that is gone, in the collection.
  package var number: Int64
  package var path: MemberPath
  package var byteCount: Int64?
  /// The transfer of the collection's file; nil for a new one.
  package var transfer: TransferID?

  package init(number: Int64, path: MemberPath, byteCount: Int64?, transfer: TransferID?) {
    self.number = number
    self.path = path
    self.byteCount = byteCount
    self.transfer = transfer
  }
}

/// Files of a list in sum.
package struct MemberSum: Hashable, Sendable, Codable {
  package var count = 0
  /// Their sizes, as far as they are known.
  package var byteCount: Int64 = 0
  /// How many of them have a size that is not known.
  package var unknownSizeCount = 0

  package init(count: Int = 0, byteCount: Int64 = 0, unknownSizeCount: Int = 0) {
    self.count = count
    self.byteCount = byteCount
    self.unknownSizeCount = unknownSizeCount
  }

  package init(of members: some Sequence<ListedMember>) {
    for member in members { add(member) }
  }

  /// Adds one file. A source may give any size, so the sum stays at the greatest number.
  package mutating func add(_ member: ListedMember) {
    count += 1
    guard let size = member.byteCount else {
      unknownSizeCount += 1
      return
    }
    let (sum, isOver) = byteCount.addingReportingOverflow(size)
    byteCount = isOver ? .max : sum
  }
}

/// Files of a list that follow each other, by their numbers.
public struct MemberRun: Hashable, Sendable, Codable {
  public var first: Int64
  public var last: Int64

  public init(first: Int64, last: Int64) {
    self.first = first
    self.last = last
  }
}

/// A file of a collection with its place in the list, from 0.
package struct NumberedMember: Hashable, Sendable, Codable {
  package var member: ListedMember
  package var number: Int64

  package init(number: Int64, member: ListedMember) {
    self.number = number
    self.member = member
  }
}

/// The transfers of the members of a collection in sum.
package struct MemberTally: Hashable, Sendable {
  package private(set) var counts: [TransferState: Int] = [:]
  package private(set) var bytesReceived: Int64 = 0

  package init() {}

  /// Adds transfers in a state, or removes them with negative numbers.
  package mutating func add(_ count: Int, in state: TransferState, byteCount: Int64) {
    let sum = counts[state, default: 0] + count
    counts[state] = sum > 0 ? sum : nil
    bytesReceived &+= byteCount
  }
}
