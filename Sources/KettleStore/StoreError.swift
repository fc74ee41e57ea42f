import KettleModel

/// Why the store cannot be used.
package struct StoreError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// A later version of Kettle created it; using it would lose data that only that version knows.
    case newer
    /// The file or its directory belongs to another user.
    case wrongOwner
    case diskFull
    /// Another program holds a lock on it.
    case busy
    case unreadable
    case unwritable
  }

  package var code: Code
  package var path: String
  /// The message of SQLite or the kernel.
  package var detail: String?

  /// What failed, on what, and what to do; without a period.
  package var sentence: String {
    let shown = "\"" + path.sanitizedForDisplay() + "\""
    let said = detail.map { " (\($0))" } ?? ""
    return switch code {
    case .newer:
      "The store \(shown) was made by a newer Kettle\(said); install that version again, "
        + "or move the file away to begin with an empty list"
    case .wrongOwner:
      "The store \(shown) belongs to another user\(said); run Kettle as that user, "
        + "or set XDG_STATE_HOME to a directory of your own"
    case .diskFull:
      "The disk of the store \(shown) is full\(said); free some space"
    case .busy:
      "The store \(shown) is in use by another program\(said); end that program"
    case .unreadable:
      "The store \(shown) cannot be read\(said); check its disk and its permissions"
    case .unwritable:
      "The store \(shown) cannot be written\(said); check its disk and its permissions"
    }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String { sentence }
}
