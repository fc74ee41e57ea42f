/// A file of a collection, as its source lists it.
public struct ListedMember: Hashable, Sendable, Codable {
  public var path: MemberPath
  public var url: TransferURL
  /// nil if the source does not say it.
  public var byteCount: Int64?
  public var checksum: Checksum?

  public init(
    path: MemberPath, url: TransferURL, byteCount: Int64? = nil, checksum: Checksum? = nil
  ) {
    self.path = path
    self.url = url
    self.byteCount = byteCount
    self.checksum = checksum
  }
}

/// A file of a collection with its place in the list, from 0.
package struct NumberedMember: Hashable, Sendable {
  package var number: Int64
  package var member: ListedMember

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
