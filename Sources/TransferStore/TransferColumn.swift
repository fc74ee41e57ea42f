/// The columns of the table `transfer`, in the order in which they are written and read. The raw
/// value is the place in a row.
enum TransferColumn: Int, CaseIterable {
  case id, session, taskIdentifier, state, reason, goesOnAt, priority, queuePosition, title, url
  case directory, name, createdAt, finishedAt, bytesReceived, bytesExpected, connections
  case limitBytesPerSecond, notBefore, checksum, caCertificatePath, onConflict, beginning, headers
  case login, resumeData, finishedFile, failure, freshStart, retryCount
  case request, task, taskStatus
  case finishNumber

  /// The name in the table: `task_identifier` for `taskIdentifier`.
  var sqlName: String {
    String(describing: self).reduce(into: "") { name, letter in
      if letter.isUppercase { name += "_" }
      name += letter.lowercased()
    }
  }

  static let list = allCases.map(\.sqlName).joined(separator: ", ")
}

/// The statements on the table `transfer` of this version.
enum TransferSQL {
  static let put: String = {
    let marks = TransferColumn.allCases.map { _ in "?" }.joined(separator: ", ")
    let updates = TransferColumn.allCases.dropFirst()
      .map { "\($0.sqlName) = excluded.\($0.sqlName)" }.joined(separator: ", ")
    return "INSERT INTO transfer (\(TransferColumn.list)) VALUES (\(marks)) "
      + "ON CONFLICT (id) DO UPDATE SET \(updates)"
  }()

  static let remove = "DELETE FROM transfer WHERE id = ?"
}
