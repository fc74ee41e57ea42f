import KettleControl
import KettleEngine
import KettleModel

/// Requests for URLs that are on the list already.
extension RequestHandler {
  func follow(
    _ params: FollowTransfer.Params
  ) async throws(ControlError) -> FollowTransfer.Result {
    if let queue = params.transfer.options.queue { try await require(queue) }
    let asked = information.withoutOwnProxies(params.transfer)
    switch await engine.follow(params.id, as: asked) {
    case .follows(let parts): return .init(.follows, parts: parts)
    case .needsAnother(.transferGone): return .init(.transferGone)
    case .needsAnother(.otherFile): return .init(.otherFile)
    case .needsAnother(.fileGone): return .init(.fileGone)
    case .needsAnother(.fileChanged): return .init(.fileChanged)
    case .tooLate(let parts, let state):
      var result = FollowTransfer.Result(.tooLate, parts: parts)
      result.state = state
      return result
    case .mismatch(let path, let found):
      var result = FollowTransfer.Result(.mismatch)
      (result.path, result.found) = (path, found)
      return result
    case .unreadable(let failure):
      var result = FollowTransfer.Result(.unreadable)
      result.error = failure
      return result
    }
  }
}
