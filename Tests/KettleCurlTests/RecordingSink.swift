import KettleEngine
import TestSupport

/// Stores the bytes that it receives, and returns scripted results.
final class RecordingSink: ByteSink {
  struct Record: Sendable, CustomStringConvertible {
    var bytes: [UInt8] = []
    var callCount = 0
    var fullCount = 0

    var description: String { "\(bytes.count) bytes, \(callCount) calls, \(fullCount) times full" }
  }

  let record = Monitor(Record())
  private let noted: @Sendable (Record) -> Void
  private let answer: @Sendable (Record) -> SinkAnswer

  /// - Parameters:
  ///   - answer: receives the record with this call counted and before its bytes are added.
  ///   - noted: called on the transport's thread with the record that includes the received bytes.
  init(
    _ answer: @escaping @Sendable (Record) -> SinkAnswer = { _ in .taken },
    noted: @escaping @Sendable (Record) -> Void = { _ in }
  ) {
    self.noted = noted
    self.answer = answer
  }

  var bytes: [UInt8] { record.read(\.bytes) }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    record.update { record in
      record.callCount += 1
      let answer = answer(record)
      switch answer {
      case .taken, .satisfied: record.bytes += bytes
      case .full:
        record.bytes += bytes
        record.fullCount += 1
      case .failed: break
      }
      noted(record)
      return answer
    }
  }
}
