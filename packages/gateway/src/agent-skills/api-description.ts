/** The parts of JSON Schema that the gateway's own API description uses. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly ApiSchema[];
  readonly oneOf?: readonly ApiSchema[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly minProperties?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

export interface ApiContent {
  readonly schema: ApiSchema;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: ApiSchema;
}

export interface ApiResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, ApiContent>>;
  /** The error codes that a failure response can have. */
  readonly 'x-codes'?: readonly string[];
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly 'x-scopes': readonly string[];
  readonly parameters: readonly ApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, ApiContent>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

/** The parts of OpenAPI that the gateway's own API description uses. */
export interface ApiDescription {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ApiSchema>> };
}

export interface ApiOperation extends DescribedOperation {
  /** The HTTP method, in upper case. */
  readonly method: string;
  readonly path: string;
  readonly area: string;
}

export function operationsOf({ paths }: ApiDescription): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { ...operation, method: method.toUpperCase(), path, area: operation.tags?.[0] ?? 'other' };
    }),
  );
}

/** The schema's name in `components.schemas`. */
export function referenceOf({ $ref }: ApiSchema): string | undefined {
  return $ref?.split('/').at(-1);
}
