import KettleModel

/// Reads the list of a collection again, or says how often to do so.
package enum SyncCollection: ControlMethod {
  package static let name = "collections.sync"

  package enum Wish: Codable, Hashable, Sendable {
    /// - Parameters:
    ///   - removesGone: whether files that the list no longer names go to the bin.
    ///   - pauses: whether the transfer that reads the list is paused when it is complete. A start
    ///     of it then brings the collection up to date, and a removal leaves that as it is.
    case now(removesGone: Bool, pauses: Bool)
    /// nil for never.
    case every(milliseconds: Int64?)
  }

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    package var wish: Wish

    package init(id: TransferID, _ wish: Wish) {
      self.id = id
      self.wish = wish
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// The transfer that reads the list; it is removed when the collection is up to date.
    package var list: TransferID?

    package init(list: TransferID?) { self.list = list }
  }

  /// The shortest time between two lists that a collection reads by itself.
  package static let everyMillisecondsMin: Int64 = 600_000
}

/// Compares a collection with a list of its source that was read again.
package enum CompareCollection: ControlMethod {
  package static let name = "collections.compare"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    package var list: TransferID
    package var change: MemberChange
    /// The lowest number.
    package var from: Int64

    package init(id: TransferID, list: TransferID, change: MemberChange, from: Int64 = 0) {
      self.id = id
      self.list = list
      self.change = change
      self.from = from
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// Of all files of this kind of change; only if `from` is 0.
    package var sum: MemberSum?
    /// In the order of their numbers, at most `CollectionPage.countMax`. None means no more.
    package var files: [ChangedMember]

    package init(sum: MemberSum?, files: [ChangedMember]) {
      self.sum = sum
      self.files = files
    }
  }
}

/// The list of a collection.
package enum ListMembers: ControlMethod {
  package static let name = "collections.members"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    /// The lowest number.
    package var from: Int64

    package init(id: TransferID, from: Int64 = 0) {
      self.id = id
      self.from = from
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// In the order of the list, at most `CollectionPage.countMax`. None means no more.
    package var members: [NumberedMember]

    package init(members: [NumberedMember]) { self.members = members }
  }
}

/// Leaves files of a collection out that waits for the user's choice, and starts it.
package enum ChooseMembers: ControlMethod {
  package static let name = "collections.choose"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    /// The files that are not wanted.
    package var leftOut: [MemberRun]

    package init(id: TransferID, leftOut: [MemberRun]) {
      self.id = id
      self.leftOut = leftOut
    }
  }

  package typealias Result = Nothing
}

package enum CollectionPage {
  package static let countMax = 500
}
