/// Makes a failing input as small as possible.
struct Minimizer<Part: FuzzPart> {
  let part: Part
  /// The maximum number of inputs to try. An input whose failure depends on timing may not fail
  /// again.
  let checkCountMax: Int

  /// Returns the smallest failing input that was found, and its failure.
  func minimal(_ input: Part.Input, _ finding: String) async -> (Part.Input, String) {
    var (smallest, itsFinding) = (input, finding)
    var tried: Set<Part.Input> = [input]
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in part.simplifications(of: smallest) where tried.insert(candidate).inserted {
        guard tried.count <= checkCountMax else { return (smallest, itsFinding) }
        guard let found = await part.finding(for: candidate) else { continue }
        (smallest, itsFinding) = (candidate, found)
        isSmaller = true
        break
      }
    }
    return (smallest, itsFinding)
  }
}
