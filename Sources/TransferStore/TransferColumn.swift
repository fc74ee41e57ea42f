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

  /// Whether an index or the foreign key has it, or a column that an index has is made of it.
  fileprivate var isIndexed: Bool {
    switch self {
    case .id, .session, .taskIdentifier, .state, .priority, .queuePosition, .url, .finishNumber,
      .isDormant:
      true
    case .reason, .goesOnAt, .title, .directory, .name, .createdAt, .finishedAt, .bytesReceived,
      .bytesExpected, .connections, .limitBytesPerSecond, .notBefore, .checksum,
      .caCertificatePath, .onConflict, .beginning, .headers, .login, .resumeData, .finishedFile,
      .failure, .freshStart, .retryCount, .request, .task, .taskStatus:
      false
    }
  }

  /// Of the parameter that its value is bound to, in all statements.
  fileprivate var parameter: String { "?\(rawValue + 1)" }
}

/// The statements on the table `transfer` of this version.
enum TransferSQL {
  static let insert: String = {
    let marks = TransferColumn.allCases.map(\.parameter).joined(separator: ", ")
    return "INSERT INTO transfer (\(TransferColumn.list)) VALUES (\(marks))"
  }()

  /// Writes all columns of a row that is there.
  static let replace: String = {
    let updates = TransferColumn.allCases.dropFirst()
      .map { "\($0.sqlName) = \($0.parameter)" }.joined(separator: ", ")
    return "UPDATE transfer SET \(updates) WHERE id = \(TransferColumn.id.parameter)"
  }()

  /// Writes the columns that no index has, if those that one has are as they were: SQLite writes
  /// every index that has a column that is set, whether it changed or not.
  static let advance: String = {
    let updates = TransferColumn.allCases.filter { !$0.isIndexed }
      .map { "\($0.sqlName) = \($0.parameter)" }.joined(separator: ", ")
    // The sign keeps SQLite from looking the row up by anything but its id.
    let conditions = TransferColumn.allCases.dropFirst().filter(\.isIndexed)
      .map { " AND +\($0.sqlName) IS \($0.parameter)" }.joined()
    return "UPDATE transfer SET \(updates) WHERE id = \(TransferColumn.id.parameter)\(conditions)"
  }()

  static let remove = "DELETE FROM transfer WHERE id = ?"

  /// What `TalliedRow` needs.
  static let tallied =
    "SELECT is_dormant, state, bytes_received, bytes_expected FROM transfer WHERE id = ?"
}
