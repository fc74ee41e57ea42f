import Foundation
import FoundationNetworking
import KettleSystem

/// The sender of a challenge. It records whether a default implementation received the challenge,
/// which shows that the delegate does not implement that method.
final class ChallengeMarker: NSObject, URLAuthenticationChallengeSender, Sendable {
  private let unimplemented = Mutex(false)

  var isUnimplemented: Bool { unimplemented.withLock { $0 } }

  static func markUnimplemented(_ challenge: URLAuthenticationChallenge) {
    (challenge.sender as? ChallengeMarker)?.unimplemented.withLock { $0 = true }
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
