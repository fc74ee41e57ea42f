import Foundation
import FoundationNetworking
import KettleSystem

/// What a challenge is sent from: it learns when the method that got the challenge was a default
/// one, which is how the library finds out that a delegate has no method of its own.
final class ChallengeMarker: NSObject, URLAuthenticationChallengeSender, Sendable {
  private let unimplemented = Mutex(false)

  var isUnimplemented: Bool { unimplemented.withLock { $0 } }

  static func noteUnimplemented(_ challenge: URLAuthenticationChallenge) {
    (challenge.sender as? ChallengeMarker)?.unimplemented.withLock { $0 = true }
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
