import SeededNumbers

/// A recording of an origin, and what happens to it while it is fetched.
struct PlaylistScript: Hashable, Sendable, Codable {
  var form = Form.files
  /// How many segments its playlist lists.
  var segmentCount = 4
  var steps: [Step] = []

  enum Form: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each segment is a resource.
    case files
    /// The segments are parts of one resource with a strong ETag.
    case parts
    /// A list of two variants, whose segments are resources.
    case variants
  }

  struct Step: Hashable, Sendable, Codable {
    /// It happens with this response for a segment, from 1.
    var response: Int
    var event: Event
  }

  enum Event: String, Hashable, Sendable, Codable, CaseIterable {
    /// The transfer is interrupted and continues.
    case interruption
    /// Meanwhile other bytes take the place of the recording, at the same addresses.
    case replacement
    /// The list begins one segment later.
    case moveWindow
    /// The other variant is the best one.
    case swapVariants
    /// Only the other variant is listed.
    case dropVariant
    /// The links so far lead nowhere, and the playlist has new ones.
    case renewLinks
    // Responses in place of this one.
    case page, emptyBody, goneOnce, cut, shortPart
  }

  static let versionCountMax = 4
  static let tokenCountMax = 4
  static let segmentByteCount: Int64 = 3000
  static let resourceSegmentCount = 12
}

extension PlaylistScript {
  static let samples: [PlaylistScript] = [
    PlaylistScript(),
    PlaylistScript(form: .parts, steps: [Step(response: 3, event: .replacement)]),
    PlaylistScript(steps: [Step(response: 3, event: .replacement)]),
    PlaylistScript(
      form: .variants,
      steps: [Step(response: 2, event: .dropVariant), Step(response: 3, event: .interruption)]),
    PlaylistScript(
      form: .variants,
      steps: [Step(response: 2, event: .swapVariants), Step(response: 3, event: .renewLinks)]),
    PlaylistScript(
      steps: [Step(response: 2, event: .moveWindow), Step(response: 3, event: .interruption)]),
    PlaylistScript(
      steps: [
        Step(response: 2, event: .page), Step(response: 4, event: .emptyBody),
        Step(response: 5, event: .cut),
      ]),
  ]

  func mutated(_ random: inout SeededGenerator) -> PlaylistScript {
    var script = self
    switch Int.random(in: 0..<6, using: &random) {
    case 0: script.form = Form.allCases.randomElement(using: &random) ?? .files
    case 1: script.segmentCount = .random(in: 1...6, using: &random)
    case 2 where !script.steps.isEmpty:
      script.steps.remove(at: .random(in: script.steps.indices, using: &random))
    default:
      script.steps.append(
        Step(
          response: .random(in: 1...10, using: &random),
          event: Event.allCases.randomElement(using: &random) ?? .interruption))
    }
    script.steps = Array(script.steps.suffix(8))
    return script
  }

  var simplifications: [PlaylistScript] {
    steps.indices.map { index in
      var simpler = self
      simpler.steps.remove(at: index)
      return simpler
    }
  }
}
