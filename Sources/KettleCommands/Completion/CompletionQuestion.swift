import ArgumentParser
import KettleSystem

/// What a completion script wants to know.
enum CompletionQuestion: Hashable, Sendable {
  /// The keys of the configuration file, and the words that a key accepts. No service is asked.
  case configurationKeys
  case configurationValues
  case transfers
  case sessions
  case hosts
  case queues
}

extension CompletionKind {
  /// Completes with the answer of a running service.
  ///
  /// The parser calls the closure only while it reads the command line of a completion script, and
  /// cannot wait for the service there. So the closure notes the question, and `CompletionRequest`
  /// answers it.
  static func asking(_ question: CompletionQuestion) -> CompletionKind {
    .custom { _, _, _ in
      AskedQuestion.current?.note(question)
      return []
    }
  }
}

/// The question that the parser met in the command line of a completion script.
final class AskedQuestion: Sendable {
  @TaskLocal static var current: AskedQuestion?

  private let noted = Mutex<CompletionQuestion?>(nil)

  var question: CompletionQuestion? { noted.withLock { $0 } }

  func note(_ question: CompletionQuestion) { noted.withLock { $0 = question } }
}
