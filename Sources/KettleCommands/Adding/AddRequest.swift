import KettleClient
import KettleControl
import KettleModel

/// One request to add transfers. Sending it again is safe: its id keeps the same service instance
/// from adding twice.
struct AddRequest: Sendable {
  private enum Form: Sendable {
    case each(AddTransfers.Params)
    case alike(AddURLs.Params)
  }

  private let form: Form

  /// Transfers of any kind.
  init(_ specs: [TransferSpec]) {
    form = .each(.init(transfers: specs, requestID: Self.newID()))
  }

  /// The transfers for these URLs with the settings of `template`, in compact form where all URLs
  /// share them.
  init(_ urls: [TransferURL.Parsed], _ template: SpecTemplate) {
    if urls.count > 1, urls.allSatisfy({ $0.login == nil }), !template.differsByHost,
      let params = AddURLs.Params(
        urls: urls.map(\.url), template: template.spec(for: urls[0]), requestID: Self.newID())
    {
      form = .alike(params)
    } else {
      form = .each(
        .init(transfers: urls.map { template.spec(for: $0) }, requestID: Self.newID()))
    }
  }

  var urls: [TransferURL] {
    switch form {
    case .each(let params): params.transfers.map(\.url)
    case .alike(let params): params.urls
    }
  }

  /// Returns one id for each URL.
  func send(over service: any ServiceCalling) async throws -> PendingReply<[TransferID]> {
    switch form {
    case .each(let params):
      return try await service.send(AddTransfers.self, params).map { result in
        try Self.checked(result.ids, count: params.transfers.count, AddTransfers.name)
      }
    case .alike(let params):
      return try await service.send(AddURLs.self, params).map { result in
        try Self.checked(result.runs.ids, count: params.urls.count, AddURLs.name)
      }
    }
  }

  private static func checked(
    _ ids: [TransferID], count: Int, _ method: String
  ) throws -> [TransferID] {
    guard ids.count == count else { throw ControlError(.internalError, method) }
    return ids
  }

  /// Random enough that no two programs ever choose the same id.
  private static func newID() -> String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
      .joined(separator: "-")
  }
}
