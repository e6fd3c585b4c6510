{% snapshot hist_sales_documents %}
{{ config(
    unique_key=['shop_id', 'effect_key'],
    strategy='check',
    check_cols=['fingerprint'],
    hard_deletes='invalidate'
) }}
{{ versioned(ref('sales_documents'), ['seen_at']) }}
{% endsnapshot %}
