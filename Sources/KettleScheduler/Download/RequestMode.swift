import KettleModel

/// What the first attempt of a run requests.
package enum RequestMode: Sendable, Hashable {
  /// What the record allows: the first gap, proved by the validator or by an overlap.
  case resuming
  case proving(RequestedRange.Proof)
  /// The whole file; durable bytes are compared with it and kept.
  case comparing
  /// The whole file into a new partial file; the durable bytes are useless.
  case fresh(FreshStartReason)
}

/// How the first attempt of a run verifies the server.
package enum ServerCheck: Sendable, Hashable {
  /// By the authorities of the system, or by the keys that the user trusts.
  case usual
  /// After a refusal: reads the certificate and sends nothing, unless the system trusts it now.
  case inspection
}

/// Another first attempt in the same slot.
package struct NextRequest: Sendable, Hashable {
  package var url: TransferURL
  package var redirects: RedirectChain
  package var mode: RequestMode
  /// nil means a plain GET.
  package var content: RequestContent?
  package var check = ServerCheck.usual
  package var purpose = RequestPurpose.file
  package var streamUse = StreamUse.none
}
