/// The columns of the table `transfer`, in the order in which they are written and read. The raw
/// value is the place in a row.
///
/// `origin`, which SQLite makes of the URL, is only looked for.
enum TransferColumn: Int, CaseIterable {
  case id, session, taskIdentifier, state, reason, goesOnAt, priority, queuePosition, title, url
  case directory, name, createdAt, finishedAt, bytesReceived, bytesExpected, connections
  case limitBytesPerSecond, notBefore, checksum, caCertificatePath, onConflict, beginning, headers
  case login, resumeData, finishedFile, failure, freshStart, retryCount
  case request, task, taskStatus
  case finishNumber
  case isDormant

  /// The name in the table: `task_identifier` for `taskIdentifier`.
  var sqlName: String {
    String(describing: self).reduce(into: "") { name, letter in
      if letter.isUppercase { name += "_" }
      name += letter.lowercased()
    }
  }

  static let list = allCases.map(\.sqlName).joined(separator: ", ")

  /// How a change of its value changes the indexes.
  fileprivate enum Weight {
    case inNoIndex
    /// A transfer in another state or place.
    case inIndexes
    /// Another transfer under the same id, or a fresh link for it.
    case isIdentity
  }

  fileprivate var weight: Weight {
    switch self {
    case .id, .session, .taskIdentifier, .url: .isIdentity
    case .state, .priority, .queuePosition, .finishNumber, .isDormant: .inIndexes
    case .reason, .goesOnAt, .title, .directory, .name, .createdAt, .finishedAt, .bytesReceived,
      .bytesExpected, .connections, .limitBytesPerSecond, .notBefore, .checksum,
      .caCertificatePath, .onConflict, .beginning, .headers, .login, .resumeData, .finishedFile,
      .failure, .freshStart, .retryCount, .request, .task, .taskStatus:
      .inNoIndex
    }
  }

  /// Of the parameter that its value is bound to, in all statements that write one row.
  fileprivate var parameter: String { "?\(TransferSQL.parameter(self))" }
}

/// The statements on the table `transfer` of this version.
enum TransferSQL {
  static let insert = insert(rowCount: 1)

  /// A statement opens the table and its indexes anew whenever it is run, which for one row takes
  /// as long as to write it.
  static let insertTogether = insert(rowCount: rowsTogether)

  /// More gain nothing.
  static let rowsTogether = 20

  private static func insert(rowCount: Int) -> String {
    let rows = (0..<rowCount).map { place in
      let marks = TransferColumn.allCases.map { "?\(parameter($0, place: place))" }
      return "(" + marks.joined(separator: ", ") + ")"
    }
    return "INSERT INTO transfer (\(TransferColumn.list)) VALUES " + rows.joined(separator: ", ")
  }

  private static let columnCount = TransferColumn.allCases.count

  /// Of a value in one of the rows that a statement writes, with the first parameter as 1.
  static func parameter(_ column: TransferColumn, place: Int = 0) -> Int {
    1 + place * columnCount + column.rawValue
  }

  /// Writes the columns that no index has, where the others are as they were: SQLite writes every
  /// index that has a column that is set, whether it changed or not.
  static let advance = update([.inNoIndex])

  /// Writes all but what makes it another transfer.
  static let turn = update([.inNoIndex, .inIndexes])

  static let replace = update([.inNoIndex, .inIndexes, .isIdentity])

  /// Changes nothing when another column than the ones it writes is not as it was.
  private static func update(_ weights: Set<TransferColumn.Weight>) -> String {
    let columns = TransferColumn.allCases.dropFirst()
    let updates = columns.filter { weights.contains($0.weight) }
      .map { "\($0.sqlName) = \($0.parameter)" }.joined(separator: ", ")
    // The sign keeps SQLite from looking the row up by anything but its id.
    let conditions = columns.filter { !weights.contains($0.weight) }
      .map { " AND +\($0.sqlName) IS \($0.parameter)" }.joined()
    return "UPDATE transfer SET \(updates) WHERE id = \(TransferColumn.id.parameter)\(conditions)"
  }

  static let remove = "DELETE FROM transfer WHERE id = ?"

  /// What `TalliedRow` needs.
  static let tallied =
    "SELECT is_dormant, state, bytes_received, bytes_expected FROM transfer WHERE id = ?"
}
