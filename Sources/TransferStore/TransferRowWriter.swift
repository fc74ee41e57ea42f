import GRDB
import TransferModel

/// Turns records into rows.
struct TransferRowWriter {
  let json = StoredJSON()

  func values(_ record: TransferRecord) throws -> StatementArguments {
    StatementArguments(try TransferColumn.allCases.map { try value(of: $0, in: record) })
  }

  private func value(
    of column: TransferColumn, in record: TransferRecord
  ) throws -> (any DatabaseValueConvertible)? {
    let spec = record.spec
    return switch column {
    case .id: record.id.rawValue
    case .session: spec.session.rawValue
    case .taskIdentifier: record.taskIdentifier
    case .state: record.state.rawValue
    case .reason: record.reason?.rawValue
    case .goesOnAt: record.goesOnAt?.millisecondsSince1970
    case .priority: spec.priority.value
    case .queuePosition: record.queuePosition
    case .title: spec.title
    case .url: spec.url.text
    case .directory: spec.directory
    case .name: spec.name
    case .createdAt: record.createdAt.millisecondsSince1970
    case .finishedAt: record.finishedAt?.millisecondsSince1970
    case .bytesReceived: record.bytesReceived
    case .bytesExpected: record.bytesExpected
    case .connections: spec.connections
    case .limitBytesPerSecond: spec.limitBytesPerSecond
    case .notBefore: spec.notBefore?.millisecondsSince1970
    case .checksum: spec.checksum?.text
    case .caCertificatePath: spec.caCertificatePath
    case .onConflict: spec.onConflict.rawValue
    case .beginning: spec.beginning.rawValue
    case .headers: spec.headers.isEmpty ? nil : try json.text(spec.headers)
    case .login: try spec.login.map(json.text)
    case .resumeData: try record.resumeData.map(json.text)
    case .finishedFile: try record.finishedFile.map(json.text)
    case .failure: try record.failure.map(json.text)
    case .freshStart: record.freshStart?.rawValue
    case .retryCount: record.retryCount
    case .request: try spec.request.map(json.text)
    case .task: try spec.task.map(json.text)
    case .taskStatus: try record.task.map(json.text)
    case .finishNumber: record.finishNumber
    }
  }
}

/// For sorting and adding up in the store; read back from the JSON beside them.
extension TransferRecord {
  fileprivate var bytesReceived: Int64 {
    finishedFile?.identity?.byteCount ?? resumeData?.held.byteCount ?? 0
  }

  fileprivate var bytesExpected: Int64? {
    finishedFile?.identity?.byteCount ?? resumeData?.totalByteCount
  }
}
