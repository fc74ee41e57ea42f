import FoundationNetworking
import Foundation

/// A download as it was asked for.
struct DownloadPlan: Sendable {
  var request: URLRequest
  var destination: URL?
  var onConflict = DestinationConflict.rename
  var isAwaited = false
}
