import Foundation
import FoundationNetworking

/// A download as the program requested it.
struct DownloadPlan: Sendable {
  var request: URLRequest
  var destination: URL?
  var onConflict = DestinationConflict.rename
  var isAwaited = false
}
